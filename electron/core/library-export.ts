import { getMember, isObject } from '../../shared/json/object.ts'
import type { RedactionPolicy } from '../../shared/recordings/recording.ts'
import { createStandInKey, StandIns } from './redaction/stand-ins.ts'

/** A demo host takes as many (`demo-host --library`). */
const MAX_CARDS = 200_000
const MAX_DEPTH = 100
const MAX_TITLE_CHARS = 1_000
const MAX_TEXT_CHARS = 100_000
const MAX_ITEMS = 10_000
const ID = /^(?!\.+$)[\w.-]{1,100}$/
const TAG = /^#\S{1,200}$/
const BAND_ROLE = /^[\w-]{1,40}$/
const PART_KINDS = ['ink', 'excerpt_image', 'image', 'audio', 'video', 'attachment', 'blank_image']

export interface ExportedStudySet {
  readonly topicid: string
  readonly title: string
  /** The cards with details and excerpts. One that precedes its parent gets to the top. */
  readonly cards: readonly unknown[]
  /** Documents of the study set, as the host lists them. */
  readonly documents: readonly unknown[]
}

interface ExportedCard extends Record<string, unknown> {
  children?: ExportedCard[]
}

/**
 * Makes the library file of a demo host from what a host listed. What such a file has no place for
 * is left out and counted. Pages have no text, because the contract does not show where a host has
 * it; bytes of pictures, sound and files are not in it.
 */
export class LibraryExport {
  readonly #standIns = new StandIns(createStandInKey())
  readonly #policy: Pick<RedactionPolicy, 'texts' | 'ids'>
  readonly #usedIds = new Set<string>()
  readonly #documents = new Map<string, object>()
  readonly #studySets: object[] = []
  readonly #leftOut = new Map<string, number>()
  #cardCount = 0

  constructor(policy: Pick<RedactionPolicy, 'texts' | 'ids'>) {
    this.#policy = policy
  }

  get cardCount(): number {
    return this.#cardCount
  }

  /** Numbers of what is left out, by name: `cards`, `parents`, `parts`, `excerpts`. */
  get leftOut(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#leftOut)
  }

  addStudySet({ topicid, title, cards, documents }: ExportedStudySet): void {
    const documentIds = documents.flatMap((document) => this.#addDocument(document) ?? [])
    const roots: ExportedCard[] = []
    const placed = new Map<string, { readonly card: ExportedCard; readonly depth: number }>()
    for (const source of cards) {
      const noteid = toText(getMember(source, 'noteid'))
      const parentId = toText(getMember(source, 'parent'))
      const parent = placed.get(parentId)
      if (!parent && parentId !== '' && parentId !== topicid) this.#leaveOut('parents')
      const depth = (parent?.depth ?? 0) + 1
      if (this.#cardCount >= MAX_CARDS || depth > MAX_DEPTH) {
        this.#leaveOut('cards')
        continue
      }
      const card = this.#toCard(source)
      this.#cardCount += 1
      if (noteid !== '') placed.set(noteid, { card, depth })
      if (parent) (parent.card.children ??= []).push(card)
      else roots.push(card)
    }
    this.#studySets.push({
      ...this.#takeId(topicid),
      title: this.#toTitle(title),
      documents: documentIds,
      cards: roots,
    })
  }

  /** @param openSet the study set that is open in the host; ignored if it is not in the file */
  toFile(openSet: string | null): object {
    const studySet = openSet === null ? undefined : this.#toId(openSet)
    const isOpen = this.#studySets.some((set) => studySet !== undefined && getMember(set, 'id') === studySet)
    return {
      studySets: this.#studySets,
      documents: [...this.#documents.values()],
      ...(isOpen ? { open: { studySet } } : {}),
    }
  }

  #toCard(source: unknown): ExportedCard {
    const details = getMember(source, '@details')
    const read = (name: string): unknown => getMember(details, name) ?? getMember(source, name)
    const texts = toList(read('texts')).filter((entry) => getMember(entry, 'excerpt') !== true)
    const revision = Number(read('commentsRevision'))
    return {
      ...this.#takeId(toText(getMember(source, 'noteid'))),
      title: this.#toTitle(toText(read('title'))),
      ...omitEmpty({
        texts: texts.map((entry) => this.#replaceText(toText(getMember(entry, 'text')))).filter((text) => text !== ''),
        parts: toList(read('parts')).flatMap((part) => this.#toPart(part)),
        tags: toList(read('hashtags')).flatMap((tag) => this.#toTag(toText(tag))),
        excerpts: toList(getMember(source, '@excerpts')).flatMap((excerpt) => this.#toExcerpt(excerpt)),
        bands: toList(read('bands')).flatMap((band) => this.#toBand(band)),
        practice: toList(read('practice')).flatMap(toVerdict),
      }),
      ...omitUndefined({
        color: toInteger(read('colorIndex'), 0, 15),
        fill: toInteger(read('fillIndex'), -1, 2),
        revision: toInteger(revision, 0, Number.MAX_SAFE_INTEGER),
        folded: read('folded') === true ? true : undefined,
        subMap: toText(read('subMapId')) === '' ? undefined : true,
      }),
    }
  }

  #toPart(part: unknown): object[] {
    const contentId = toText(getMember(part, 'contentId'))
    const kind = toText(getMember(part, 'kind'))
    // Texts and the title are parts without a content.
    if (contentId === '') return []
    if (!PART_KINDS.includes(kind)) return this.#leaveOut('parts')
    const ocrText = toText(getMember(part, 'ocrText'))
    const masks = toList(getMember(getMember(part, 'occlusion'), 'masks')).map((mask) => getMember(mask, 'rect'))
    return [
      {
        ...this.#takeId(contentId),
        kind,
        ...(ocrText === '' ? {} : { ocrText: this.#replaceText(ocrText) }),
        ...omitEmpty({ masks: masks.filter(isRectangle).slice(0, 200) }),
      },
    ]
  }

  #toTag(tag: string): string[] {
    const segments = tag.slice(1).split('/')
    const isKept = this.#policy.texts === 'keep'
    const replaced = isKept ? tag : `#${segments.map((segment) => this.#replaceName(segment)).join('/')}`
    return TAG.test(replaced) ? [replaced] : this.#leaveOut('tags')
  }

  #toExcerpt(excerpt: unknown): object[] {
    const document = this.#toId(toText(getMember(excerpt, 'bookmd5')))
    const page = toInteger(getMember(excerpt, 'page'), 1, MAX_ITEMS)
    const start = toInteger(getMember(excerpt, 'startpos'), 0, 1_000_000_000)
    const end = toInteger(getMember(excerpt, 'endpos'), 0, 1_000_000_000)
    const isPlaced = page !== undefined && start !== undefined && end !== undefined
    if (document === undefined || !this.#documents.has(document) || !isPlaced) return this.#leaveOut('excerpts')
    const text = this.#replaceText(toText(getMember(excerpt, 'text')))
    return [{ ...this.#takeId(toText(getMember(excerpt, 'noteid'))), document, page, start, end, text }]
  }

  #toBand(band: unknown): object[] {
    const height = getMember(band, 'height')
    if (typeof height !== 'number' || !(height >= 1 && height <= 10_000)) return this.#leaveOut('bands')
    const [role, owner] = [toText(getMember(band, 'role')), toText(getMember(band, 'owner'))]
    return [
      {
        ...this.#takeId(toText(getMember(band, 'physicalNoteId'))),
        height,
        ...(BAND_ROLE.test(role) ? { role } : {}),
        ...(isName(owner) ? { owner } : {}),
        ...omitUndefined({
          hasInk: toFlag(getMember(band, 'hasInk')),
          closed: toFlag(getMember(band, 'closed')),
          live: toFlag(getMember(band, 'live')),
        }),
      },
    ]
  }

  /** @returns the id in the file; undefined if it cannot be named there */
  #addDocument(document: unknown): string | undefined {
    const id = this.#toId(toText(getMember(document, 'bookmd5')))
    if (id === undefined || this.#documents.has(id)) return id
    if (this.#usedIds.has(id)) return undefined
    this.#usedIds.add(id)
    const pageCount = toInteger(getMember(document, 'pageCount'), 1, MAX_ITEMS) ?? 1
    this.#documents.set(id, {
      id,
      title: this.#toTitle(toText(getMember(document, 'title'))),
      ...(getMember(document, 'sourceState') === 'missing_file' ? { missing: true } : {}),
      pages: Array.from({ length: pageCount }, () => ''),
    })
    return id
  }

  #toId(id: string): string | undefined {
    if (!ID.test(id)) return undefined
    return this.#policy.ids === 'map' ? this.#standIns.replaceId(id) : id
  }

  /** An id that stands twice, or has other characters, is left to the demo host. */
  #takeId(id: string): { readonly id?: string } {
    const ownId = this.#toId(id)
    if (ownId === undefined || this.#usedIds.has(ownId)) return {}
    this.#usedIds.add(ownId)
    return { id: ownId }
  }

  #toTitle(title: string): string {
    return this.#replaceText(title.slice(0, MAX_TITLE_CHARS)).slice(0, MAX_TITLE_CHARS)
  }

  #replaceText(text: string): string {
    const { texts } = this.#policy
    const part = text.slice(0, MAX_TEXT_CHARS)
    if (texts === 'keep') return part
    return texts === 'drop' ? this.#standIns.replaceDroppedText(part) : this.#standIns.replaceText(part)
  }

  /** A space would end the tag. */
  #replaceName(name: string): string {
    return this.#replaceText(name).replaceAll(/\s/g, '_')
  }

  #leaveOut(name: string): [] {
    this.#leftOut.set(name, (this.#leftOut.get(name) ?? 0) + 1)
    return []
  }
}

function toVerdict(verdict: unknown): object[] {
  const [self, reason, plugin] = ['self', 'reason', 'addon'].map((name) => toText(getMember(verdict, name)))
  if (self === undefined || !isName(self)) return []
  return [
    {
      self,
      ...(reason !== undefined && isName(reason) ? { reason } : {}),
      ...(plugin !== undefined && isName(plugin) ? { plugin } : {}),
      ...omitUndefined({ at: toInteger(getMember(verdict, 'at'), 0, Number.MAX_SAFE_INTEGER) }),
    },
  ]
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')
const toFlag = (value: unknown): boolean | undefined => (typeof value === 'boolean' ? value : undefined)
const isName = (text: string): boolean => text.length >= 1 && text.length <= 200
const toInteger = (value: unknown, min: number, max: number): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max ? value : undefined

const toList = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value.slice(0, MAX_ITEMS) : isObject(value) ? [value] : []

const isRectangle = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length === 4 &&
  value.every((part) => typeof part === 'number' && part >= 0 && part <= 1)

const omitEmpty = (lists: Readonly<Record<string, readonly unknown[]>>): object =>
  Object.fromEntries(Object.entries(lists).filter(([, list]) => list.length > 0))

const omitUndefined = (values: Readonly<Record<string, unknown>>): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
