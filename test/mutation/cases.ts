import { locate, listMembers, getValue } from './members.ts'
import { listMutations } from './mutations.ts'
import type { Mutation, Served } from './proxy.ts'
import { isShared, selectForShared, type Station } from './stations.ts'

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
    if (isShared(entry) && !selectForShared(all).has(station)) continue
    if (!ownResponses.has(entry.responseKey)) ownResponses.set(entry.responseKey, entry)
  }
  return [...ownResponses.values()]
}

/** Lists every change of every member in every response of a station. */
export function listCases(recorded: Recorded, all: readonly Station[]): readonly Case[] {
  return listResponses(recorded, all).flatMap(({ responseKey, endpoint, original }) =>
    listMembers(original).flatMap((pointer) => {
      const path = locate(original, pointer)
      if (!path) return []
      const names = listMutations(getValue(original, path), pointer === '')
      return names.map((mutation) => ({ station: recorded.station, endpoint, responseKey, pointer, mutation }))
    }),
  )
}

/** Numbers in [0, 1), the same for the same seed (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

/** `count` items, in an order determined by the seed. */
export function pickSample<T>(items: readonly T[], count: number, random: () => number): readonly T[] {
  const rest = [...items]
  const picked: T[] = []
  while (picked.length < count && rest.length > 0) {
    picked.push(...rest.splice(Math.floor(random() * rest.length), 1))
  }
  return picked
}
