/** Declares `Symbol.asyncDispose` for programs whose `lib` and types do not, as their Node.js has it. */

declare global {
  interface SymbolConstructor {
    readonly asyncDispose: unique symbol;
  }
}

export {};
