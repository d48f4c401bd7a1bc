import { getRouteTemplate } from '../../../shared/contract/deviation.ts'
import type { LearnedShape } from '../../core/contract/learned-shape.ts'
import { observeResponse } from '../../core/contract/response-observer.ts'
import { hashResponseId } from '../../core/contract/response-sketch.ts'
import { collectResponses } from '../../core/contract/schema-side.ts'
import { formatShape, parseShape } from '../../core/contract/shape-codec.ts'
import { dropInnerTypes, mergeShape } from '../../core/contract/shape-merge.ts'
import { formatLocalDay } from './local-day.ts'
import type { ExchangeRow } from '../../../shared/traffic/exchange.ts'
import { isErrorResponse } from './exchange-facts.ts'

export interface LearnedKey {
  readonly method: string
  readonly template: string
  readonly endpoint: string | null
  readonly outcome: 'success' | 'error'
  /** Base URL. */
  readonly host: string
  /** Version that the host had reported by then; null if it had not. */
  readonly version: string | null
  /** Local date: `2026-11-26`. */
  readonly day: string
}

export interface StoredShape {
  /** As `formatShape` writes it. */
  readonly shape: string
  /** Hashes of the responses, so that they are counted without reading the shape. */
  readonly hashes: readonly number[]
}

export type LearnedRouteKey = Pick<LearnedKey, 'method' | 'template'>

/** Stores learned shapes by key. */
export interface LearnedArchive {
  /** Lists all keys with the hashes of their responses. */
  listKeys(): Iterable<LearnedKey & Pick<StoredShape, 'hashes'>>
  read(key: LearnedKey): string | null
  /**
   * Replaces each stored shape by what `merge` makes of it; null stands for no shape. What `merge`
   * makes null of stays as it is. Returns false if the disk rejects it; then nothing is replaced.
   */
  update(keys: readonly LearnedKey[], merge: (key: LearnedKey, stored: string | null) => StoredShape | null): boolean
  clear(): void
}

/** Keeps shapes in memory; they complete those of `stored`, which stays unchanged. */
export function createMemoryArchive(stored?: Pick<LearnedArchive, 'listKeys' | 'read'>): LearnedArchive {
  const shapes = new Map<string, LearnedKey & StoredShape>()
  const read = (key: LearnedKey): string | null => shapes.get(toName(key))?.shape ?? stored?.read(key) ?? null
  return {
    *listKeys() {
      yield* shapes.values()
      for (const key of stored?.listKeys() ?? []) if (!shapes.has(toName(key))) yield key
    },
    read,
    update(keys, merge) {
      for (const key of keys) {
        const previous = read(key)
        if (previous === null && shapes.size >= MAX_MEMORY_SHAPES) continue
        const merged = merge(key, previous)
        if (merged) shapes.set(toName(key), { ...key, ...merged })
      }
      return true
    },
    clear: () => shapes.clear(),
  }
}

const toName = ({ method, template, outcome, host, version, day }: LearnedKey): string =>
  JSON.stringify([method, template, outcome, host, version, day])

const MAX_MEMORY_SHAPES = 1_000
/** Shapes that may wait to be stored. */
const MAX_PENDING_SHAPES = 200
/** Only the outermost types of a larger shape are kept, so that a host cannot fill the disk. */
const MAX_SHAPE_CHARS = 524_288

/** Merges what is pending, so that learning the same response again changes nothing. */
export class LearnedRoutes {
  readonly #archive: LearnedArchive
  readonly #pending = new Map<string, { readonly key: LearnedKey; readonly shape: LearnedShape; memberCount: number }>()

  constructor(archive: LearnedArchive) {
    this.#archive = archive
  }

  /** @param body the whole body of a response that the host itself gave, as JSON */
  observe(row: ExchangeRow, body: unknown, version: string | null): void {
    const { id, method, path, endpoint, status, host, startedAt } = row
    const isError = isErrorResponse(status, body)
    if (!isError && ((status ?? 0) < 200 || (status ?? 0) >= 300)) return
    const key: LearnedKey = {
      method: method.toUpperCase(),
      template: getRouteTemplate(endpoint, path),
      endpoint,
      outcome: isError ? 'error' : 'success',
      host,
      version,
      day: formatLocalDay(startedAt),
    }
    const name = toName(key)
    let pending = this.#pending.get(name)
    if (!pending) {
      if (this.#pending.size >= MAX_PENDING_SHAPES && !this.save()) return
      pending = { key, shape: {}, memberCount: 0 }
      this.#pending.set(name, pending)
    }
    pending.memberCount = observeResponse(pending.shape, body, hashResponseId(id), pending.memberCount)
  }

  /** Merges what is pending into the archive. Returns false if it stays pending. */
  save(): boolean {
    const pending = this.#pending
    if (pending.size === 0) return true
    const keys = [...pending.values()].map(({ key }) => key)
    const isSaved = this.#archive.update(keys, (key, stored) =>
      toStoredShape(stored, pending.get(toName(key))?.shape ?? {}),
    )
    if (isSaved) pending.clear()
    return isSaved
  }
}

/** Returns null if what is stored cannot be read, such as the shape of a newer version. */
function toStoredShape(stored: string | null, learned: LearnedShape): StoredShape | null {
  const shape = stored === null ? {} : parseShape(stored)
  if (shape === null) return null
  mergeShape(shape, learned)
  const text = formatShape(shape)
  const { hashes } = collectResponses(shape)
  if (text.length <= MAX_SHAPE_CHARS) return { shape: text, hashes }
  dropInnerTypes(shape)
  return { shape: formatShape(shape), hashes }
}
