import { createHash } from 'node:crypto'
import type { WireError } from '../../../shared/errors.ts'
import type { Header, StoredBody } from '../../../shared/traffic/exchange.ts'
import { mapInitiatorTexts, type CallInitiator } from '../../../shared/traffic/call-initiator.ts'
import { truncateValue } from '../value-budget.ts'
import { MASK_TEXT, TokenMask } from '../mask/mask.ts'
import type { PendingRow, RawBody, RawEntry } from './entry.ts'

export interface MaskedBody {
  readonly kept: StoredBody
  readonly bytes: Uint8Array<ArrayBuffer> | null
  /** Number of removed tokens. */
  readonly masked: number
}

/** An exchange from which all tokens were removed, ready to be stored. */
export interface MaskedEntry {
  readonly row: PendingRow
  readonly requestHeaders: readonly Header[]
  readonly responseHeaders: readonly Header[]
  readonly error: WireError | null
  readonly maskedCount: number
}

const ERROR_BUDGET = { maxValues: 20_000, maxChars: 1024 * 1024, maxDepth: 200 }
/** Number of cached masks. The set of tokens changes only when a profile or its token changes. */
const MAX_MASKS = 8

/** Removes every known token from exchanges before they are stored. */
export class EntryMasker {
  #tokens: readonly string[] = []
  readonly #masksByToken = new Map<string | null, TokenMask>()

  /** Replaces the list of known tokens: those of all profiles whose token is known. */
  addTokens(tokens: readonly string[]): void {
    this.#tokens = tokens
    this.#masksByToken.clear()
  }

  maskEntry(raw: RawEntry): MaskedEntry {
    const mask = this.#getMask(raw.token)
    let maskedCount = 0
    const concealAndCount = (text: string): string => {
      const concealed = mask.conceal(text)
      if (concealed !== text) maskedCount += concealed.split(MASK_TEXT).length - text.split(MASK_TEXT).length
      return concealed
    }
    const maskHeaders = (list: readonly Header[]): Header[] =>
      list.map(([name, value]) => [concealAndCount(name), concealAndCount(value)])
    const maskedRow = this.#maskRowTexts(raw.row, concealAndCount)
    const requestHeaders = maskHeaders(raw.requestHeaders)
    const responseHeaders = maskHeaders(raw.responseHeaders)
    const error = raw.error && (truncateValue(raw.error, ERROR_BUDGET, concealAndCount) as WireError)
    return { row: maskedRow, requestHeaders, responseHeaders, error, maskedCount }
  }

  maskInitiator(initiator: CallInitiator): CallInitiator {
    const conceal = (text: string): string => this.conceal(text)
    return mapInitiatorTexts(initiator, { toFile: conceal, toFunctionName: conceal })
  }

  conceal(text: string): string {
    return this.#getMask(null).conceal(text)
  }

  maskRow(row: PendingRow, token: string | null): PendingRow {
    const mask = this.#getMask(token)
    return this.#maskRowTexts(row, (text) => mask.conceal(text))
  }

  #maskRowTexts(row: PendingRow, conceal: (text: string) => string): PendingRow {
    const { path, template, errorCode, mediaType, host, instance, origin } = row
    return {
      ...row,
      path: conceal(path),
      template: conceal(template),
      errorCode: errorCode && conceal(errorCode),
      mediaType: conceal(mediaType),
      host: conceal(host),
      instance: instance && conceal(instance),
      // The remaining members of the origin come from this program and contain no tokens.
      origin: { ...origin, label: origin.label && conceal(origin.label) },
    }
  }

  /** Removes tokens in place, so the bytes of `raw` change. */
  maskBody(raw: RawBody, token: string | null): MaskedBody {
    const mask = this.#getMask(token)
    const mediaType = mask.conceal(raw.mediaType)
    const { total, missing, isJson } = raw
    if (raw.bytes === null) return { kept: { total, kept: 0, missing, hash: null, mediaType }, bytes: null, masked: 0 }
    const { bytes } = raw
    const masked = mask.maskInPlace(bytes, isJson)
    const hash = createHash('sha256').update(bytes).digest('hex')
    return { kept: { total, kept: bytes.byteLength, missing, hash, mediaType }, bytes, masked }
  }

  /** Describes a body without saving its bytes. */
  describeUnsavedBody({ total, missing, mediaType }: RawBody, token: string | null): StoredBody {
    return { total, kept: 0, missing, hash: null, mediaType: this.#getMask(token).conceal(mediaType) }
  }

  #getMask(token: string | null): TokenMask {
    const cachedMask = this.#masksByToken.get(token)
    if (cachedMask) return cachedMask
    const tokens = [...new Set([...this.#tokens, ...(token === null ? [] : [token])])]
    const mask = TokenMask.forTokens(tokens)
    if (this.#masksByToken.size >= MAX_MASKS) this.#masksByToken.clear()
    this.#masksByToken.set(token, mask)
    return mask
  }
}
