import { inspect } from 'node:util'

/**
 * A token that cannot leak by accident: not through JSON, template strings, `util.inspect` or a
 * debugger's preview.
 */
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
