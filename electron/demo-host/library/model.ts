/**
 * The demo host's library: its types, and how the small study sets and the generated one are built
 * from a seed. Not for routes (`../routes`) or for state that changes while the host runs
 * (`../state`). Read this file first, then `small-library.ts` and `generated-set.ts`.
 */

/** One visual piece of a card or page; its bytes are generated on demand from `seed`. */
export interface DemoPart {
  readonly contentId: string
  readonly kind: string
  readonly mimeType: string
  readonly seed: number
  /** The masks, in fractions of the image's width and height. */
  readonly masks?: readonly {
    index: number
    rect: readonly [number, number, number, number]
    group?: unknown
    flags?: unknown
    isText?: boolean
  }[]
  readonly ocrText?: string
  /** The card from which the part came, if that card was merged into this one. */
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
  /** Grows with each change of the comments. */
  revision: number
  bands: DemoBand[]
  practice: DemoVerdict[]
  subMapId: string | null
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
  /** The contents list of the document's file. */
  readonly originalToc: readonly TocEntry[]
  /** A list that a client wrote or the host generated; kept while the original is shown. */
  writtenToc: readonly TocEntry[] | null
  shownToc: 'original' | 'written'
  /** A path in the document library, with slashes between levels. */
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
  /** True while a background job processes the bundle; a job does not survive a restart. */
  isRunning: boolean
  error: string | null
  version: number
  /** The root and the cards that the import created, each card with its revision at that time. */
  importResult: { readonly rootNoteId: string; readonly cards: ReadonlyMap<string, number> } | null
  /** The texts by the path of their file in the bundle. */
  readonly files: ReadonlyMap<string, string>
}

export interface DemoDeck {
  readonly deckId: string
  title: string
  lastModifiedAt: string
  /** The cards may refer to deleted source cards; reading the deck checks each source. */
  cards: { cardNoteId: string; sourceNoteId: string; title: string }[]
}

/** Everything in the demo host besides the generated study set. */
export interface DemoLibrary {
  readonly sets: DemoStudySet[]
  readonly books: Map<string, DemoBook>
  readonly excerpts: Map<string, ExcerptRecord[]>
  readonly decks: DemoDeck[]
  /** The cards of all sets, by id. */
  readonly cards: Map<string, DemoCard>
}

/** A plugin of the template. Without a configuration, it cannot record verdicts. */
export interface DemoPlugin {
  readonly id: string
  readonly config?: {
    readonly tagPrefix: string
    readonly reasons: readonly { readonly id: string; readonly label: string }[]
  }
}

/** The practice configuration that a plugin's template declares; see `UNCONFIGURED_ADDON_ID`. */
export const practiceConfig = {
  tagPrefix: '#practice',
  reasons: [
    { id: 'careless', label: 'Careless slip' },
    { id: 'concept', label: 'Concept not understood' },
    { id: 'memory', label: 'Not remembered' },
    { id: 'time', label: 'Ran out of time' },
  ],
} as const

export const PRACTICE_ADDON_ID = 'app.demo.practice'
/** A plugin whose verdicts lead to `PRACTICE_CONFIG_UNAVAILABLE` (spec §7). */
export const UNCONFIGURED_ADDON_ID = 'app.demo.flashcards'
/** The plugin of the sample panel that breaks rules. */
export const RULE_BREAKER_ADDON_ID = 'app.demo.rule-breaker'

/** The template of the generated library. */
export const demoPlugins: readonly DemoPlugin[] = [
  { id: PRACTICE_ADDON_ID, config: practiceConfig },
  { id: UNCONFIGURED_ADDON_ID },
  { id: RULE_BREAKER_ADDON_ID, config: practiceConfig },
]
