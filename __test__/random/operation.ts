import type { TenantId } from 'namzu-native';
import type { Choices } from './choices.js';
import type { Kind, Twin } from './twin.js';

/** A call that is made alike to every store. */
export interface Operation {
  readonly title: string;
  readonly run: (twin: Twin) => Promise<unknown>;
  /** What a success gave a name to. */
  readonly creates?: {
    readonly kind: Kind;
    readonly owner: TenantId;
    /** How many, where the answer is a list. */
    readonly count?: number;
  };
}

export type Make = (choices: Choices) => Operation;
