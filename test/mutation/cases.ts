import { locate, membersOf, valueAt } from './members.ts'
import { mutationsOf } from './mutations.ts'
import type { Mutation, Served } from './proxy.ts'
import { isShared, withShared, type Station } from './stations.ts'

/** One change of one member in one response that a station reads. */
export interface Case extends Mutation {
  readonly station: Station
  readonly endpoint: string
}

/** The responses that a station reads unchanged. */
export interface Recorded {
  readonly station: Station
  readonly served: readonly Served[]
}

/** Lists the responses of a station whose members are changed, each once. */
export function listResponses({ station, served }: Recorded, all: readonly Station[]): readonly Served[] {
  const ownResponses = new Map<string, Served>()
  for (const entry of served) {
    if (isShared(entry) && !withShared(all).has(station)) continue
    if (!ownResponses.has(entry.answer)) ownResponses.set(entry.answer, entry)
  }
  return [...ownResponses.values()]
}

/** Lists every change of every member in every response of a station. */
export function casesOf(recorded: Recorded, all: readonly Station[]): readonly Case[] {
  return listResponses(recorded, all).flatMap(({ answer, endpoint, original }) =>
    membersOf(original).flatMap((pointer) => {
      const path = locate(original, pointer)
      if (!path) return []
      const names = mutationsOf(valueAt(original, path), pointer === '')
      return names.map((mutation) => ({ station: recorded.station, endpoint, answer, pointer, mutation }))
    }),
  )
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** `count` items, in an order determined by the seed. */
export function sampled<T>(items: readonly T[], count: number, random: () => number): readonly T[] {
  const rest = [...items]
  const picked: T[] = []
  while (picked.length < count && rest.length > 0) {
    picked.push(...rest.splice(Math.floor(random() * rest.length), 1))
  }
  return picked
}
