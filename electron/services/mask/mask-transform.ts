import { Transform } from 'node:stream'
import { MaskStream } from './mask.ts'

/** Masks a token in a text that passes through, byte for byte otherwise. */
export class MaskTransform extends Transform {
  readonly #mask: MaskStream

  constructor(token: string | null) {
    super()
    this.#mask = new MaskStream(token)
  }

  /** How many tokens were masked so far. */
  get count(): number {
    return this.#mask.count
  }

  override _transform(piece: Buffer, _: BufferEncoding, done: (error: Error | null, bytes: Buffer) => void): void {
    done(null, this.#mask.push(piece))
  }

  override _flush(done: (error: Error | null, bytes: Buffer) => void): void {
    done(null, this.#mask.end())
  }
}
