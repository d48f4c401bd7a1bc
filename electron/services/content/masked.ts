import type { MaskStream } from '../mask/mask.ts'

/** The pieces of a text with the token masked; what may be the beginning of a token is held back until that is decided. */
export async function* masked(
  mask: MaskStream,
  pieces: AsyncIterator<Buffer>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let next = await pieces.next(); next.done !== true; next = await pieces.next()) {
    const piece = mask.push(next.value)
    if (piece.byteLength > 0) yield piece
  }
  yield mask.end()
}
