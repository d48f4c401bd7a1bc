import { createHash } from 'node:crypto'
import type { WireError } from '../../../shared/errors.ts'
import type { Header, KeptBody } from '../../../shared/traffic/exchange.ts'
import { bounded } from '../bounded.ts'
import { MASK, TokenMask } from '../mask/mask.ts'
import type { PendingRow, RawBody, RawEntry } from './entry.ts'

/** A body without a token. */
export interface CleanBody {
  readonly kept: KeptBody
  readonly bytes: Uint8Array<ArrayBuffer> | null
}

/** An exchange without a token, as it is kept. */
export interface CleanEntry {
  readonly row: PendingRow
  readonly requestHeaders: readonly Header[]
  readonly responseHeaders: readonly Header[]
  readonly error: WireError | null
  readonly masked: number
}

const budget = { values: 20_000, characters: 1024 * 1024, depth: 200 }
/** Sets of tokens differ only when a profile is added or its token changes. */
const MOST_MASKS = 8

/** Removes every known token from what is kept. */
export class Cleaner {
  #tokens: readonly string[] = []
  readonly #masks = new Map<string | null, TokenMask>()

  /** All tokens of all profiles, as far as they are known. */
  know(tokens: readonly string[]): void {
    this.#tokens = tokens
    this.#masks.clear()
  }

  entry(raw: RawEntry): CleanEntry {
    const mask = this.#maskFor(raw.token)
    let masked = 0
    const clean = (one: string): string => {
      const concealed = mask.conceal(one)
      if (concealed !== one) masked += concealed.split(MASK).length - one.split(MASK).length
      return concealed
    }
    const headers = (list: readonly Header[]): Header[] => list.map(([name, value]) => [clean(name), clean(value)])
    const row = this.#row(raw.row, clean)
    const requestHeaders = headers(raw.requestHeaders)
    const responseHeaders = headers(raw.responseHeaders)
    const error = raw.error && (bounded(raw.error, budget, clean) as WireError)
    return { row, requestHeaders, responseHeaders, error, masked }
  }

  /** A text without any known token. */
  conceal(text: string): string {
    return this.#maskFor(null).conceal(text)
  }

  /** A row of an exchange that is under way. */
  row(row: PendingRow, token: string | null): PendingRow {
    const mask = this.#maskFor(token)
    return this.#row(row, (one) => mask.conceal(one))
  }

  #row(row: PendingRow, clean: (text: string) => string): PendingRow {
    const { path, template, errorCode, mediaType, host, instance, origin } = row
    return {
      ...row,
      path: clean(path),
      template: clean(template),
      errorCode: errorCode && clean(errorCode),
      mediaType: clean(mediaType),
      host: clean(host),
      instance: instance && clean(instance),
      // Its other members are ours.
      origin: { ...origin, label: origin.label && clean(origin.label) },
    }
  }

  /** Masks the bytes in place. `masked` counts what was found. */
  body(raw: RawBody, token: string | null): CleanBody & { readonly masked: number } {
    const mask = this.#maskFor(token)
    const mediaType = mask.conceal(raw.mediaType)
    const { total, missing, json } = raw
    if (raw.bytes === null) return { kept: { total, kept: 0, missing, hash: null, mediaType }, bytes: null, masked: 0 }
    const { bytes } = raw
    const masked = mask.hideIn(bytes, json)
    const hash = createHash('sha256').update(bytes).digest('hex')
    return { kept: { total, kept: bytes.byteLength, missing, hash, mediaType }, bytes, masked }
  }

  /** What is said of a body that is not saved (yet). */
  withoutBytes({ total, missing, mediaType }: RawBody, token: string | null): KeptBody {
    return { total, kept: 0, missing, hash: null, mediaType: this.#maskFor(token).conceal(mediaType) }
  }

  #maskFor(token: string | null): TokenMask {
    const known = this.#masks.get(token)
    if (known) return known
    const tokens = [...new Set([...this.#tokens, ...(token === null ? [] : [token])])]
    const mask = TokenMask.of(tokens)
    if (this.#masks.size >= MOST_MASKS) this.#masks.clear()
    this.#masks.set(token, mask)
    return mask
  }
}
