import { hashText } from '../../../shared/format/text-hash.ts'

/** Returns the content identifier of a document of the demo library. */
export function toBookId(seed: number, title: string): string {
  return toMd5LikeHash(`${seed}/book/${title}`)
}

/** Creates a repeatable stream of numbers in [0, 1) (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** Spreads the bits of an integer. The library is computed with it instead of being stored. */
export function mixInteger(value: number): number {
  let mixed = Math.imul(value ^ (value >>> 16), 0x21f0aaad)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97)
  return (mixed ^ (mixed >>> 15)) >>> 0
}

/** Derives an upper-case UUID from a name; the same name always gives the same one. */
export function toUuid(name: string): string {
  const part = (salt: string): string =>
    hashText(salt + name)
      .toString(16)
      .padStart(8, '0')
  const hex = `${part('a')}${part('b')}4${part('c').slice(0, 7)}${part('d')}`
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`.toUpperCase()
}

/** Derives 32 hexadecimal digits from a name; the same name always gives the same ones. */
const toMd5LikeHash = (name: string): string =>
  ['1', '2', '3', '4']
    .map((salt) =>
      hashText(salt + name)
        .toString(16)
        .padStart(8, '0'),
    )
    .join('')
