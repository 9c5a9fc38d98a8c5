/** Logging: what our own code writes to, and a plain logger for those who have none. */

import * as argument from './arguments';

/** How much a line matters. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a logger adds to each of its lines. */
export type LogContext = Readonly<Record<string, unknown>>;

/** Takes lines. Loggers of applications fit when they have these methods. */
export interface Logger {
  debug(message: string, data?: LogContext): void;
  info(message: string, data?: LogContext): void;
  warn(message: string, data?: LogContext): void;
  error(message: string, data?: LogContext): void;
  /** A logger that adds `context` to each line. */
  child(context: LogContext): Logger;
}

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];

class StderrLogger implements Logger {
  constructor(
    private readonly level: LogLevel,
    private readonly context: LogContext = {},
  ) {}

  debug(message: string, data?: LogContext): void {
    this.write('debug', message, data);
  }

  info(message: string, data?: LogContext): void {
    this.write('info', message, data);
  }

  warn(message: string, data?: LogContext): void {
    this.write('warn', message, data);
  }

  error(message: string, data?: LogContext): void {
    this.write('error', message, data);
  }

  child(context: LogContext): Logger {
    return new StderrLogger(this.level, { ...this.context, ...context });
  }

  private write(level: LogLevel, message: string, data: LogContext = {}): void {
    if (LEVELS.indexOf(level) < LEVELS.indexOf(this.level)) return;
    const all = { ...this.context, ...data };
    const shown = Object.keys(all).length === 0 ? '' : ` ${textOf(all)}`;
    process.stderr.write(`${new Date().toISOString()} ${level.toUpperCase()} ${message}${shown}\n`);
  }
}

/** A line is written whatever is in its data. */
function textOf(data: LogContext): string {
  try {
    return JSON.stringify(data, (_key, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
  } catch {
    return '[data that JSON cannot express]';
  }
}

let root: Logger = new StderrLogger('info');

/** The logger that writes lines to standard error, from level `info` up unless configured. */
export function getRootLogger(): Logger {
  return root;
}

/**
 * Replaces the root logger by one that writes from `level` up. Loggers that were
 * handed out before stay as they were.
 */
export function configureLogger(options: { level?: LogLevel | undefined } = {}): void {
  const { level = 'info' } = argument.options('options', options, ['level']);
  if (!LEVELS.includes(level)) {
    throw argument.invalid('options.level', `one of ${LEVELS.join(', ')}`, level, configureLogger);
  }
  root = new StderrLogger(level);
}
