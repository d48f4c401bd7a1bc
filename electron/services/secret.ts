import { inspect } from 'node:util'

/** Leaks neither through JSON, template strings, `util.inspect` nor a debugger's preview. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The token itself; call this only to make a request or to encrypt it. */
  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '[secret]'
  }

  toJSON(): string {
    return '[secret]'
  }

  [inspect.custom](): string {
    return '[secret]'
  }
}
