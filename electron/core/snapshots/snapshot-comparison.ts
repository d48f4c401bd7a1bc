import {
  MAX_GHOST_TITLE_CHARS,
  type CardGhost,
  type CardGhosts,
  type ChangeMark,
  type ChangeMarks,
  type SnapshotCardState,
  type SnapshotChangeRow,
  type SnapshotComparison,
} from '../../../shared/ipc/snapshots.ts'
import {
  DETAILS_MEMBER,
  EXCERPTS_MEMBER,
  parseContent,
  type ChangeKind,
} from '../../../shared/snapshots/card-content.ts'
import {
  CauseFinder,
  type CauseCertainty,
  type ChangeCause,
  type RecordedWrite,
} from '../../../shared/snapshots/cause.ts'
import { layOutChanges, type ChangeRow } from './change-rows.ts'
import {
  compareSnapshots,
  type CardChange,
  type SnapshotDifference,
  type SnapshotSide,
} from '../../../shared/snapshots/compare.ts'
import { getChildEnd, getChildStart, NO_PARENT, type Forest } from '../../../shared/snapshots/forest.ts'
import { findFormerPlaces, type FormerPlace, type FormerPlaces } from './former-places.ts'
import { isObject } from '../../../shared/json/object.ts'
import { readMembers } from '../../../shared/snapshots/forecast-card.ts'
import { comparePalettes } from '../../../shared/snapshots/palette.ts'
import { hasAllExcerpts, type SnapshotInfo } from '../../../shared/snapshots/snapshot.ts'

/** How far up a cause is looked for above a card that came or went with others. */
const MAX_ANCESTORS = 100

export interface ComparedSnapshot {
  readonly info: SnapshotInfo
  readonly forest: Forest
}

type Layout = 'tree' | 'list'
type ListedChangeRow = Extract<SnapshotChangeRow, { row: 'change' }>

/** A change of a card that is still there. */
interface CardMark {
  /** Index of its change; -1 if the card itself did not change. */
  readonly change: number
  /** Number of removed cards that were below it. */
  readonly removed: number
}

interface CardMarks {
  /** Indexes in `after`, in the order of the listing. */
  readonly cards: readonly number[]
  readonly marksByCard: ReadonlyMap<number, CardMark>
  readonly removedAtTop: number
}

/** Two compared snapshots, from which rows are read in parts. */
export class ComparedSnapshots {
  readonly #before: ComparedSnapshot
  readonly #after: ComparedSnapshot
  readonly #difference: SnapshotDifference
  readonly #changes: readonly CardChange[]
  readonly #rows: readonly ChangeRow[]
  readonly #causes: readonly ChangeCause[]
  readonly #pairs: Int32Array
  #marks: CardMarks | null = null
  #formerPlaces: FormerPlaces | null = null
  readonly #facts: Omit<SnapshotComparison, 'rowCount' | 'offset' | 'rows'>

  /** @param writes the recorded calls between the two, the oldest first */
  constructor(before: ComparedSnapshot, after: ComparedSnapshot, writes: readonly RecordedWrite[]) {
    this.#before = before
    this.#after = after
    const finder = new CauseFinder(after.info.topicid, writes)
    const difference = compareSnapshots(toSide(before), toSide(after), finder.listNamedIds())
    this.#difference = difference
    this.#changes = difference.changes
    this.#pairs = difference.pairs
    this.#rows = layOutChanges(before.forest, after.forest, difference)
    this.#causes = this.#findCauses(finder)
    this.#facts = {
      before: before.info,
      after: after.info,
      changes: this.#changes.length,
      counts: countEach(this.#changes.flatMap(({ kinds }) => kinds)) satisfies Partial<Record<ChangeKind, number>>,
      causes: countEach(this.#causes.map(({ certainty }) => certainty)) satisfies Partial<
        Record<CauseCertainty, number>
      >,
      uncoveredBefore: difference.uncoveredBefore,
      uncoveredAfter: difference.uncoveredAfter,
      isOrderCompared: before.info.isInTreeOrder && after.info.isInTreeOrder,
      palette:
        before.info.palette && after.info.palette ? comparePalettes(before.info.palette, after.info.palette) : null,
    }
  }

  /** @param maxChars a part with more text than this ends earlier, after one row at least */
  readRows(layout: Layout, offset: number, limit: number, maxChars = Infinity): SnapshotComparison {
    const rows = layout === 'tree' ? this.#rows : this.#rows.filter(({ kind }) => kind === 'change')
    const part: SnapshotChangeRow[] = []
    let chars = 0
    for (const row of rows.slice(offset, offset + limit)) {
      chars += this.#countChars(row)
      if (part.length > 0 && chars > maxChars) break
      part.push(this.#toRow(row, layout))
    }
    return { ...this.#facts, rowCount: rows.length, offset, rows: part }
  }

  #countChars(row: ChangeRow): number {
    if (row.kind === 'gap' || row.kind === 'context') return 0
    const { before, after } = this.#changes[row.change] ?? NO_CHANGE
    return (this.#before.forest.contents[before]?.length ?? 0) + (this.#after.forest.contents[after]?.length ?? 0)
  }

  readMarks(offset: number, limit: number): ChangeMarks {
    const { cards, marksByCard, removedAtTop } = (this.#marks ??= this.#listMarks())
    const { before, after, changes } = this.#facts
    const marks = cards.slice(offset, offset + limit).map((card) => this.#toMark(card, marksByCard.get(card)))
    return { before, after, changes, removedAtTop, markCount: cards.length, offset, marks }
  }

  readGhosts(offset: number, limit: number): CardGhosts {
    const { places, uncovered } = (this.#formerPlaces ??= findFormerPlaces(
      this.#before.forest,
      this.#after.forest,
      this.#difference,
    ))
    const ghosts = places.slice(offset, offset + limit).map((place) => this.#toGhost(place))
    return { ghostCount: places.length, uncovered, offset, ghosts }
  }

  #toGhost({ change, parent, follows, below }: FormerPlace): CardGhost {
    const { before, after } = this.#changes[change] ?? NO_CHANGE
    const { ids } = this.#after.forest
    return {
      noteid: this.#getId(before, after),
      isRemoved: after < 0,
      below,
      title: readTitle(this.#before.forest.contents[before]).slice(0, MAX_GHOST_TITLE_CHARS),
      parentId: ids[parent] ?? '',
      followsId: ids[follows] ?? '',
    }
  }

  #toMark(card: number, mark: CardMark | undefined): ChangeMark {
    const { change = -1, removed = 0 } = mark ?? {}
    const { cause, ...rest } = toWireCauses(this.#causes[change])
    const writes = cause.writes.map(({ method, path, origin }) => ({ method, path, origin }))
    return {
      noteid: this.#after.forest.ids[card] ?? '',
      kinds: [...(this.#changes[change]?.kinds ?? [])],
      removed,
      cause: change < 0 ? null : { certainty: cause.certainty, writes },
      ...rest,
    }
  }

  #listMarks(): CardMarks {
    const marksByCard = new Map<number, CardMark>()
    let removedAtTop = 0
    const findRemaining = this.#createRemainingFinder()
    for (const [change, { before, after }] of this.#changes.entries()) {
      const card = after >= 0 ? after : findRemaining(before)
      if (card === NO_PARENT) {
        removedAtTop += 1
        continue
      }
      const mark = marksByCard.get(card) ?? { change: -1, removed: 0 }
      marksByCard.set(card, after >= 0 ? { ...mark, change } : { ...mark, removed: mark.removed + 1 })
    }
    const cards = [...marksByCard.keys()].sort((first, second) => first - second)
    return { cards, marksByCard, removedAtTop }
  }

  /** Finds the nearest card above a removed one that is still there, as an index in `after`. */
  #createRemainingFinder(): (removed: number) => number {
    const { parents } = this.#before.forest
    /** Paths that were walked before end at once, because a removed subtree may be very deep. */
    const foundByCard = new Map<number, number>()
    return (removed) => {
      const path: number[] = []
      let card = removed
      let remaining = foundByCard.get(card)
      while (remaining === undefined) {
        path.push(card)
        card = parents[card] ?? NO_PARENT
        const pair = card === NO_PARENT ? NO_PARENT : (this.#pairs[card] ?? -1)
        remaining = card === NO_PARENT || pair >= 0 ? pair : foundByCard.get(card)
      }
      for (const member of path) foundByCard.set(member, remaining)
      return remaining
    }
  }

  #toRow(row: ChangeRow, layout: Layout): SnapshotChangeRow {
    const depth = layout === 'tree' ? row.depth : 0
    if (row.kind === 'gap') return { row: 'gap', depth, count: row.count }
    if (row.kind === 'context') {
      const { ids, contents } = this.#after.forest
      return { row: 'context', depth, noteid: ids[row.card] ?? '', title: readTitle(contents[row.card]) }
    }
    const { before, after, kinds, members } = this.#changes[row.change] ?? NO_CHANGE
    return {
      row: row.kind,
      depth,
      change: row.change,
      noteid: this.#getId(before, after),
      kinds: [...kinds],
      members: [...members],
      before: before < 0 ? null : readState(this.#before.forest, before),
      after: after < 0 ? null : readState(this.#after.forest, after),
      ...toWireCauses(this.#causes[row.change]),
    }
  }

  #getId(before: number, after: number): string {
    return (after >= 0 ? this.#after.forest.ids[after] : this.#before.forest.ids[before]) ?? ''
  }

  #readChanged(before: number, after: number, members: readonly string[]): Record<string, unknown> {
    if (before < 0 || after < 0) return {}
    const values: Record<string, unknown> = { ...readMembers(this.#after.forest, after) }
    const parentId = this.#after.forest.parentIds[after] ?? ''
    const isReparented = this.#before.forest.parentIds[before] !== parentId
    const changed = members.map((name) => [name, values[name]] as const)
    return Object.fromEntries(isReparented ? [...changed, ['parent', parentId]] : changed)
  }

  #findCauses(finder: CauseFinder): ChangeCause[] {
    const added = new Set(this.#changes.filter(({ before }) => before < 0).map(({ after }) => after))
    const removed = new Set(this.#changes.filter(({ after }) => after < 0).map(({ before }) => before))
    return this.#changes.map(({ before, after, kinds, members }) =>
      finder.find({
        noteid: this.#getId(before, after),
        kinds,
        readChanged: () => this.#readChanged(before, after, members),
        above: [
          ...listAbove(this.#before.forest, before, (parent) => removed.has(parent)),
          ...listAbove(this.#after.forest, after, (parent) => kinds.includes('subMap') || added.has(parent)),
        ],
      }),
    )
  }
}

const NO_CHANGE: CardChange = { before: -1, after: -1, kinds: [], members: [] }

export function toSide({ info, forest }: ComparedSnapshot): SnapshotSide {
  return {
    forest,
    isWhole: info.gaps.length === 0,
    isInTreeOrder: info.isInTreeOrder,
    members: new Set([...info.members, ...(hasAllExcerpts(info) ? [EXCERPTS_MEMBER] : [])]),
  }
}

function countEach<T extends string>(values: readonly T[]): Partial<Record<T, number>> {
  const counts: Partial<Record<T, number>> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

/** The parent, and above it the next ones as long as `goesOn` for the card below. */
function listAbove(forest: Forest, card: number, goesOn: (parent: number) => boolean): string[] {
  const parentId = forest.parentIds[card] ?? ''
  const ids = parentId === '' ? [] : [parentId]
  let parent = forest.parents[card] ?? NO_PARENT
  while (parent !== NO_PARENT && goesOn(parent) && ids.length < MAX_ANCESTORS) {
    const id = forest.parentIds[parent] ?? ''
    if (id !== '') ids.push(id)
    parent = forest.parents[parent] ?? NO_PARENT
  }
  return ids
}

function readState(forest: Forest, card: number): SnapshotCardState {
  const parent = forest.parents[card] ?? NO_PARENT
  const content = parseContent(forest.contents[card] ?? '')
  const { title, [DETAILS_MEMBER]: details, [EXCERPTS_MEMBER]: excerpts, ...listed } = content
  const members = {
    ...listed,
    ...(isObject(details) ? details : {}),
    ...(excerpts === undefined ? {} : { excerpts }),
  }
  return {
    title: typeof title === 'string' ? title : '',
    parentId: forest.parentIds[card] ?? '',
    parentTitle: parent === NO_PARENT ? '' : readTitle(forest.contents[parent]),
    position: findPosition(forest, parent, card),
    members,
  }
}

/** The children of a card stand in the order of their numbers. */
function findPosition(forest: Forest, parent: number, card: number): number {
  const start = getChildStart(forest, parent)
  let [low, high] = [start, getChildEnd(forest, parent)]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((forest.children[middle] ?? 0) < card) low = middle + 1
    else high = middle
  }
  return low - start + 1
}

function readTitle(content: string | undefined): string {
  const { title } = parseContent(content ?? '')
  return typeof title === 'string' ? title : ''
}

const toWireCauses = (cause: ChangeCause | undefined): Pick<ListedChangeRow, 'cause' | 'unexplained'> => ({
  cause: { certainty: cause?.certainty ?? 'nobody', writes: [...(cause?.writes ?? [])] },
  ...(cause && cause.certainty !== 'nobody' && cause.unexplained.length > 0
    ? { unexplained: [...cause.unexplained] }
    : {}),
})
