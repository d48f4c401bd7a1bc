import type { RedactionPolicy } from '../../../shared/recordings/recording.ts'
import {
  contractNames,
  contractWords,
  SECRET_NAME,
  type StringKind,
} from '../../../shared/recordings/redaction/member-kinds.ts'
import type { RedactionTally, TextKind } from '../../../shared/recordings/redaction/redaction-tally.ts'
import type { StandIns } from './stand-ins.ts'
import {
  decodeBase64,
  encodeBase64Like,
  isErrorCode,
  isId,
  isLooseId,
  isMediaType,
  isOpaque,
  isProgramName,
  isTime,
  isUuid,
  isWord,
  replaceInnerIds,
} from '../../../shared/recordings/redaction/string-shapes.ts'

/** Masks tokens in a text that is kept. */
export type TokenMasker = (text: string) => string

/** Where a string stands, which decides what becomes of a text. */
export interface StringPlace {
  readonly kind: StringKind
  /** Name of the member, parameter or header. */
  readonly name: string
  /** What the person who looks at the preview calls the text. */
  readonly textKind?: TextKind
  /** A dropped text must leave something behind, so that different ones stay different. */
  readonly isRequired?: boolean
}

const MAX_REGISTERED_IDS = 1_000_000
const COLOR = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i
const HOST_TOKEN = /mnb0\./i
const FILE_EXTENSION =
  /^(.*?)(\.(?:[cm]?[jt]sx?|vue|html?|css|json|map|md|pdf|png|jpe?g|gif|webp|svg|mp[34]|m4a|wav|txt|zip))$/i
/** The name of a folder or file of code: not encoded, and without spaces. */
const SOURCE_NAME = /^[\w@.+~-]{1,100}$/
const FUNCTION_NAME = /^[\w$#.<> ]{1,200}$/
/** The beginning of a path that names the user of a machine. */
const USER_FOLDER = /^(?:file:\/\/)?\/?(?:[a-z]:)?\/(?:home|users)\/[^/]+(?=\/)/i
/** Nested cursors are decoded as often as that. */
const MAX_CURSOR_DEPTH = 3

/** Decides for each string whether it stays, and replaces those that do not. */
export class StringRedactor {
  readonly policy: RedactionPolicy
  readonly standIns: StandIns
  readonly tally: RedactionTally
  readonly #maskTokens: TokenMasker
  /** Ids that a client sent where the contract has an id. They are ids in responses, too. */
  readonly #registeredIds = new Set<string>()

  constructor(policy: RedactionPolicy, standIns: StandIns, maskTokens: TokenMasker, tally: RedactionTally) {
    this.policy = policy
    this.standIns = standIns
    this.tally = tally
    this.#maskTokens = maskTokens
  }

  registerId(id: string): void {
    if (id !== '' && isId(id) && this.#registeredIds.size < MAX_REGISTERED_IDS) this.#registeredIds.add(id)
  }

  /** Whether every string may stay, so that only tokens are masked. */
  get keepsAll(): boolean {
    return this.policy.texts === 'keep' && this.policy.ids === 'keep'
  }

  redact(text: string, place: StringPlace): string {
    if (text === '') return text
    if (HOST_TOKEN.test(text) && this.policy.texts !== 'keep') return this.#replaceToken(text)
    return this.#redactByKind(text, place)
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
      case 'program':
        return isProgramName(text) ? this.#keep('words', text) : this.redactText(text, place)
      case 'time':
        return isTime(text) ? this.#keep('times', text) : this.redactText(text, place)
      case 'color':
        return COLOR.test(text) ? text : this.redactText(text, place)
      case 'media':
        return isMediaType(text) ? this.#keep('words', text) : this.redactText(text, place)
      case 'file':
        return this.redactFile(text)
      case 'own':
        return text
      default:
        return this.#redactUnknown(text, place)
    }
  }

  redactId(id: string): string {
    const standIn = this.policy.ids === 'map' ? this.standIns.replaceId(id) : id
    this.tally.countId(id, standIn)
    return standIn
  }

  /** Replaces a text of the library as the policy says. */
  redactText(text: string, { textKind = 'other', name = '', isRequired = false }: Partial<StringPlace> = {}): string {
    if (text === '') return text
    const { texts, ids } = this.policy
    const replaced =
      texts === 'placeholder'
        ? this.standIns.replaceText(text)
        : texts === 'drop'
          ? isRequired
            ? this.standIns.replaceDroppedText(text)
            : ''
          : this.#maskTokens(ids === 'map' ? replaceInnerIds(text, (id) => this.standIns.replaceId(id)) : text)
    this.tally.countText(textKind, name, text, replaced)
    return replaced
  }

  /** Replaces the names of a file and of its folders, but not the file's extension. */
  redactFile(path: string): string {
    return path
      .split(/([/\\])/)
      .map((name, index) => (index % 2 === 1 ? name : this.#redactFileName(name)))
      .join('')
  }

  /**
   * Keeps the path of a plugin's own source file as far as its names are those of code; replaces
   * other names, and removes the query and the folder of the user.
   */
  redactSourceFile(path: string): string {
    const masked = this.#maskTokens(path)
    if (this.keepsAll) return masked
    const [pathname = ''] = masked.split(/[?#]/, 1)
    return pathname
      .replace(USER_FOLDER, '')
      .split('/')
      .map((name) =>
        name === '' || (SOURCE_NAME.test(name) && !this.#holdsSecret(name)) ? name : this.#redactFileName(name),
      )
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
    return looksLikeId && !SECRET_NAME.test(place.name) ? this.redactId(text) : this.redactText(text, place)
  }

  /** A cursor stays if nothing in it has to go, even if it is encoded. */
  #redactCursor(text: string, place: StringPlace): string {
    if (this.keepsAll) return text
    const redacted = this.#redactCursorParts(text, 0)
    if (redacted !== null) return redacted === text ? this.#keep('opaque', text) : redacted
    return isId(text) ? this.redactId(text) : this.redactText(text, { ...place, isRequired: true })
  }

  /** Returns null if the parts of the cursor cannot be told. */
  #redactCursorParts(text: string, depth: number): string | null {
    const bytes = depth < MAX_CURSOR_DEPTH ? decodeBase64(text) : null
    const inner = bytes && decodeText(bytes)
    if (bytes === null || inner === null || !/^[[{]/.test(inner)) return null
    try {
      const value: unknown = JSON.parse(inner)
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

  #replaceToken(text: string): string {
    this.tally.countToken()
    return '*'.repeat(text.length)
  }

  #keep(kind: 'opaque' | 'words' | 'times', text: string): string {
    this.tally.countKept(kind, text)
    return text
  }
}

const isContractTerm = (text: string): boolean => contractWords.has(text) || contractNames.has(text)

/** Returns null for bytes that are no text in UTF-8. */
function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}
