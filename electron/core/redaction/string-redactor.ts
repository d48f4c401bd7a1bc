import { decodeUtf8 } from '../../../shared/json/utf8.ts'
import type { RedactionPolicy } from '../../../shared/recordings/recording.ts'
import { contractNames, contractWords, type StringKind } from './member-kinds.ts'
import { RedactionTally, type TextKind } from '../../../shared/recordings/redaction/redaction-tally.ts'
import { maskHostTokens } from './host-tokens.ts'
import { QuotedTexts } from './quoted-texts.ts'
import { createStandInKey, StandIns } from './stand-ins.ts'
import {
  decodeBase64,
  encodeBase64Like,
  isErrorCode,
  isId,
  isLooseId,
  isMediaType,
  isNumberOrFlag,
  isOpaque,
  isProgramName,
  isTimeOrNumber,
  isUuid,
  isWord,
  replaceInnerIds,
} from './string-shapes.ts'

/** The place decides what becomes of a text. */
export interface StringPlace {
  readonly kind: StringKind
  /** Name of the member, parameter or header. */
  readonly name: string
  /** The person's word for the text in the preview. */
  readonly textKind?: TextKind
  /** A dropped text must leave something behind, so that different ones stay different. */
  readonly isRequired?: boolean
}

const MAX_REGISTERED_IDS = 1_000_000
const COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i
/** The code of an error: capitals without digits, or a short number. */
const CODE = /^(?:[A-Z]+(?:_[A-Z]+)*|-?\d{1,5})$/
/** A code that is exchanged for a token. */
const GRANT = /^[!-~]{6,}$/
const HOST_TOKEN = /mnb0\./i
const FILE_EXTENSION =
  /^(.*?)(\.(?:[cm]?[jt]sx?|vue|html?|css|json|map|md|pdf|png|jpe?g|gif|webp|svg|mp[34]|m4a|wav|txt|zip))$/i
/** The name of a folder or file of code: not encoded, and without spaces. */
const SOURCE_NAME = /^[\w@.+~-]{1,100}$/
const FUNCTION_NAME = /^[\w$#.<> ]{1,200}$/
/** The beginning of a path that names the user of a machine. */
const USER_FOLDER = /^(?:file:\/\/)?\/?(?:[a-z]:)?\/(?:home|users)\/[^/]+(?=\/)/i
const USER_FOLDER_IN_MESSAGE = /(?:file:\/\/)?\/(?:home|users)\/[^/\s]+(?=\/)/gi
/** Nested cursors are decoded as often as that. */
const MAX_CURSOR_DEPTH = 3

/** Decides for each string whether it stays, and replaces those that do not. */
export class StringRedactor {
  readonly policy: RedactionPolicy
  readonly tally = new RedactionTally()
  /** Texts of the library that messages quote. */
  readonly quoted = new QuotedTexts()
  readonly #standIns = new StandIns(createStandInKey())
  /** Ids that a client sent where the contract has an id. They are ids in responses, too. */
  readonly #registeredIds = new Set<string>()

  constructor(policy: RedactionPolicy) {
    this.policy = policy
  }

  /** Bytes must be masked once more: a token may be spread over several strings. */
  #maskTokens(text: string): string {
    const masked = maskHostTokens(text)
    if (masked !== text) this.tally.countToken()
    return masked
  }

  registerId(id: string): void {
    if (id !== '' && isId(id) && this.#registeredIds.size < MAX_REGISTERED_IDS) this.#registeredIds.add(id)
  }

  /** True if only tokens are masked. */
  get keepsAll(): boolean {
    return this.policy.texts === 'keep' && this.policy.ids === 'keep'
  }

  get mapsIds(): boolean {
    return this.policy.ids === 'map'
  }

  /** The first ones are read, so that there are samples. */
  passUuid(): boolean {
    return this.policy.ids === 'keep' && this.tally.countKnownId()
  }

  redact(text: string, place: StringPlace): string {
    if (text === '') return text
    if (place.kind === 'secret') return this.replaceSecret(text)
    const redacted = this.#redactByKind(text, place)
    // A replacement holds no token.
    return redacted === text && this.policy.texts !== 'keep' && HOST_TOKEN.test(text)
      ? this.replaceSecret(text)
      : redacted
  }

  #redactByKind(text: string, place: StringPlace): string {
    switch (place.kind) {
      case 'id':
        return isId(text) ? this.redactId(text) : this.redactText(text, place)
      case 'cursor':
        return this.#redactCursor(text, place)
      case 'opaque':
        return isOpaque(text) ? this.#keep('opaque', text) : this.redactText(text, place)
      case 'word':
        return isWord(text) ? this.#keep('words', text) : this.#redactUnknown(text, place)
      case 'code':
        return isErrorCode(text) ? this.#keep('words', text) : this.redactText(text, place)
      case 'grant':
        return isGrant(text) ? this.replaceSecret(text) : this.#redactByKind(text, { ...place, kind: 'code' })
      case 'program':
        return isProgramName(text) ? this.#keep('words', text) : this.redactText(text, place)
      case 'time':
        return isTimeOrNumber(text) ? this.#keep('times', text) : this.redactText(text, place)
      case 'color':
        return COLOR.test(text) ? text : this.redactText(text, place)
      case 'media':
        return isMediaType(text) ? this.#keep('words', text) : this.redactText(text, place)
      case 'number':
        return isNumberOrFlag(text) ? this.#keep('words', text) : this.#redactUnknown(text, place)
      case 'file':
        return this.redactFile(text)
      case 'message':
        return this.redactMessage(text, place)
      default:
        return this.#redactUnknown(text, place)
    }
  }

  redactId(id: string): string {
    const standIn = this.policy.ids === 'map' ? this.#standIns.replaceId(id) : id
    this.tally.countId(id, standIn)
    return standIn
  }

  redactText(text: string, { textKind = 'other', name = '', isRequired = false }: Partial<StringPlace> = {}): string {
    if (text === '') return text
    const { texts, ids } = this.policy
    const replaced =
      texts === 'placeholder'
        ? this.#standIns.replaceText(text)
        : texts === 'drop'
          ? isRequired
            ? this.#standIns.replaceDroppedText(text)
            : ''
          : this.#maskTokens(ids === 'map' ? replaceInnerIds(text, (id) => this.#standIns.replaceId(id)) : text)
    this.tally.countText(textKind, name, text, replaced)
    return replaced
  }

  /** Replaces what a sentence of a program quotes of the library. */
  redactMessage(text: string, place: StringPlace = { kind: 'message', name: 'message' }): string {
    if (text === '' || this.policy.texts === 'keep') return this.redactText(text, place)
    const { policy, quoted } = this
    // What a message quotes is known only if it was noted before. Any other is replaced whole.
    if (!quoted.knows(text)) return this.redactText(text, { ...place, isRequired: true })
    const replaced = quoted.replace(this.#maskTokens(text), (part) => this.redactText(part, { isRequired: true }))
    const withoutUser = replaced.replace(USER_FOLDER_IN_MESSAGE, '')
    const redacted =
      policy.ids === 'map' ? replaceInnerIds(withoutUser, (id) => this.#standIns.replaceId(id)) : withoutUser
    this.tally.countText(place.textKind ?? 'other', place.name, text, redacted)
    return redacted
  }

  /** Replaces the names of a file and of its folders, but not the file's extension. */
  redactFile(path: string): string {
    return path
      .split(/([/\\])/)
      .map((name, index) => (index % 2 === 1 ? name : this.#redactFileName(name)))
      .join('')
  }

  /** Keeps a path of the plugin's code as far as its names are; drops query and user's folder. */
  redactSourceFile(path: string): string {
    const masked = this.#maskTokens(path)
    if (this.keepsAll) return masked
    const [pathname = ''] = masked.split(/[?#]/, 1)
    return pathname
      .replace(USER_FOLDER, '')
      .split('/')
      .map((name) => {
        const isPlain = SOURCE_NAME.test(name) && !this.#holdsSecret(name) && !this.quoted.holdsText(name)
        return name === '' || isPlain ? name : this.#redactFileName(name)
      })
      .join('/')
  }

  /** Removes the name of a function of a plugin's code if it is none of code. */
  redactFunctionName(name: string): string {
    const masked = this.#maskTokens(name)
    return this.keepsAll || (FUNCTION_NAME.test(masked) && !this.#holdsSecret(masked)) ? masked : ''
  }

  #holdsSecret(name: string): boolean {
    return HOST_TOKEN.test(name) || this.isKnownId(name) || isLooseId(name)
  }

  #redactFileName(name: string): string {
    const [, stem = name, extension = ''] = FILE_EXTENSION.exec(name) ?? []
    const place = { textKind: 'fileNames', isRequired: true } as const
    return stem === '' ? this.redactText(name, place) : this.redactText(stem, place) + extension
  }

  /** Replaces the name of a member that is data, such as a title or a tag. */
  redactName(name: string): string {
    if (this.isKnownId(name)) return this.redactId(name)
    return this.redactText(name, { isRequired: true })
  }

  isKnownId(text: string): boolean {
    return isUuid(text) || this.#registeredIds.has(text)
  }

  /** A text that is an id elsewhere, or has the form of one, is an id here as well. */
  #redactUnknown(text: string, place: StringPlace): string {
    if (this.#registeredIds.has(text)) return this.redactId(text)
    const looksLikeId = place.kind === 'looseId' ? isLooseId(text) : isUuid(text)
    return looksLikeId ? this.redactId(text) : this.redactText(text, place)
  }

  /** A cursor stays if nothing in it has to go, even if it is encoded. */
  #redactCursor(text: string, place: StringPlace): string {
    if (this.keepsAll) return text
    const redacted = this.#redactCursorParts(text, 0)
    if (redacted !== null) return redacted === text ? this.#keep('opaque', text) : redacted
    return isId(text) ? this.redactId(text) : this.redactText(text, { ...place, isRequired: true })
  }

  /** Returns null if the cursor does not decode to JSON, so that its parts are unknown. */
  #redactCursorParts(text: string, depth: number): string | null {
    const bytes = depth < MAX_CURSOR_DEPTH ? decodeBase64(text) : null
    const decoded = bytes && decodeUtf8(bytes)
    if (decoded?.invalidAt !== null || !/^[[{]/.test(decoded.text)) return null
    try {
      const value: unknown = JSON.parse(decoded.text)
      const redacted = JSON.stringify(this.#redactCursorValue(value, '', depth))
      if (redacted === JSON.stringify(value)) return text
      return encodeBase64Like(new TextEncoder().encode(redacted), text)
    } catch {
      return null
    }
  }

  #redactCursorValue(value: unknown, name: string, depth: number): unknown {
    if (typeof value === 'string') {
      if (isContractTerm(value)) return value
      return (
        this.#redactCursorParts(value, depth + 1) ??
        this.#redactUnknown(value, { kind: 'looseId', name, isRequired: true })
      )
    }
    if (Array.isArray(value)) return value.map((element) => this.#redactCursorValue(element, name, depth))
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([member, inner]) => [
        isContractTerm(member) ? member : this.redactName(member),
        this.#redactCursorValue(inner, member, depth),
      ]),
    )
  }

  replaceSecret(text: string): string {
    if (/^\**$/.test(text)) return text
    this.tally.countToken()
    return '*'.repeat(text.length)
  }

  #keep(kind: 'opaque' | 'words' | 'times', text: string): string {
    this.tally.countKept(kind, text)
    return text
  }
}

/** A `code` that is exchanged for a token, rather than that of an error. */
export function isGrant(text: string): boolean {
  return GRANT.test(text) && !isWord(text) && !CODE.test(text)
}

const isContractTerm = (text: string): boolean => contractWords.has(text) || contractNames.has(text)
