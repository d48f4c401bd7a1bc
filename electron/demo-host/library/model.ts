/**
 * The demo host's library: its types, and how the small study sets and the generated one are built
 * from a seed. Not for routes (`../routes`) or for state that changes while the host runs
 * (`../state`). Read this file first, then `small-library.ts` and `generated-set.ts`.
 */

/** A part is one visual piece of a card or page; its bytes are generated on demand from `seed`. */
export interface DemoPart {
  readonly contentId: string
  readonly kind: string
  readonly mimeType: string
  readonly seed: number
  /** Each mask is given in fractions of the image's width and height. */
  readonly masks?: readonly {
    index: number
    rect: readonly [number, number, number, number]
    group?: unknown
    flags?: unknown
    isText?: boolean
  }[]
  readonly ocrText?: string
  /** This is the card that the part came from, if another one contains it now. */
  readonly noteid?: string
}

export interface DemoBand {
  noteid: string
  closed: boolean
  owner: string
  blankPageNo: number
  hasInk: boolean
  seq: number
  live: boolean
  inkParts: number
  height: number
  physicalNoteId: string
  role: string
  pageNo: number
}

export interface DemoVerdict {
  addon: string
  topic: string
  card: string
  self: string
  reason: string
  reasonLabel: string
  at: number
}

export interface DemoCardText {
  index: number
  text: string
  excerpt: boolean
  noteid: string
  kind: string
}

export interface DemoCard {
  readonly noteid: string
  topicid: string
  parent: string | null
  title: string
  texts: DemoCardText[]
  parts: DemoPart[]
  hashtags: string[]
  colorIndex: number
  fillIndex: number
  /** The revision grows with each change of the comments. */
  revision: number
  bands: DemoBand[]
  practice: DemoVerdict[]
  subMapId: string | null
  /** True if the card is folded on the mind map. */
  folded: boolean
  docBookmd5: string | null
  docPage: number | null
}

export interface DemoStudySet {
  readonly topicid: string
  title: string
  lastModifiedAt: string
  /** The cards are in preorder: parents come before their children. */
  cards: DemoCard[]
  documents: string[]
  snapshots: { snapshotId: string; version: number; description: string; createdAt: string; noteCount: number }[]
}

export interface DemoPage {
  readonly text: string
  readonly parts: readonly DemoPart[]
  readonly mapBacked: boolean
}

export interface DemoBook {
  readonly bookmd5: string
  readonly title: string
  readonly sourceState: 'normal' | 'missing_file'
  readonly pages: readonly DemoPage[]
  /** The file came with this contents list. */
  readonly originalToc: readonly TocEntry[]
  /** This list was written or generated; it stays stored while the original is shown. */
  writtenToc: readonly TocEntry[] | null
  shownToc: 'original' | 'written'
  /** The folder is a path in the library, with slashes between levels. */
  folder: string
}

export interface TocEntry {
  readonly title: string
  readonly page: number
  readonly level: number
}

export interface ExcerptRecord {
  noteid: string
  cardNoteId: string
  topicid: string
  page: number
  startpos: number
  endpos: number
  text: string
}

/** A task bundle: the host prepares and imports it in the background. */
export interface DemoBundle {
  readonly bundleId: string
  readonly jobId: string
  state: 'preparing' | 'prepared' | 'imported' | 'failed' | 'cancelled'
  readonly origin: 'bridge' | 'user'
  readonly createdAt: string
  readonly topicid: string
  readonly bookmd5: string
  readonly segments: readonly { readonly title: string; readonly startPage: number; readonly endPage: number }[]
  readonly progress: { pagesDone: number; pagesTotal: number }
  /** True while a job of this run works on the bundle. */
  isRunning: boolean
  error: string | null
  version: number
  /** The import produced this root and these cards, each with its revision at that time. */
  importResult: { readonly rootNoteId: string; readonly cards: ReadonlyMap<string, number> } | null
  /** Each text is stored by the path of its file inside the bundle. */
  readonly files: ReadonlyMap<string, string>
}

export interface DemoDeck {
  readonly deckId: string
  title: string
  lastModifiedAt: string
  /** Whether a source still exists is looked up when the deck is read. */
  cards: { cardNoteId: string; sourceNoteId: string; title: string }[]
}

/** The library holds everything in the demo host besides the generated study set. */
export interface DemoLibrary {
  readonly sets: DemoStudySet[]
  readonly books: Map<string, DemoBook>
  readonly excerpts: Map<string, ExcerptRecord[]>
  readonly decks: DemoDeck[]
  /** The cards of all sets are stored by id. */
  readonly cards: Map<string, DemoCard>
}

/**
 * A plugin's template declares this tag prefix and these error causes; see `ADDON_WITHOUT_CONFIG`.
 */
export const practiceConfig = {
  tagPrefix: '#practice',
  reasons: [
    { id: 'careless', label: 'Careless slip' },
    { id: 'concept', label: 'Concept not understood' },
    { id: 'memory', label: 'Not remembered' },
    { id: 'time', label: 'Ran out of time' },
  ],
} as const

/** This plugin declares a practice configuration. */
export const PRACTICE_ADDON_ID = 'app.demo.practice'
/**
 * This plugin declares none: a verdict in its name leads to `PRACTICE_CONFIG_UNAVAILABLE` (spec
 * §7).
 */
export const UNCONFIGURED_ADDON_ID = 'app.demo.flashcards'
/** The sample panel that breaks rules belongs to this plugin. */
export const RULE_BREAKER_ADDON_ID = 'app.demo.rule-breaker'
