import { inspect } from 'node:util'

/** A token that shows itself to nobody by accident: not to JSON, template strings, `util.inspect` or a debugger's preview. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  /** The token itself; call it only where a request is made or a cipher is fed. */
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
