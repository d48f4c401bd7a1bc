import type { SnapshotCardState, SnapshotChangeRow } from '../../shared/ipc/snapshots.ts'
import type { LevelChange } from '../../shared/snapshots/palette.ts'
import { toMarkdownCell } from '../../shared/format/markup.ts'
import type { RecordedWrite } from '../../shared/snapshots/cause.ts'
import { type Io, toPlainText } from '../base/io.ts'
import { getTextAt, toColumns, type EntryLayout } from './entry-printer.ts'

/** A change with its facts side by side, as csv, Markdown and text show it. */
export interface FlatChange {
  readonly kinds: string
  readonly noteid: string
  readonly title: string
  readonly before: string
  readonly after: string
  readonly certainty: string
  readonly method: string
  readonly path: string
  readonly origin: string
  /** Kinds that the call does not explain. */
  readonly unexplained: string
}

type ListedChange = Extract<SnapshotChangeRow, { row: 'change' }>

export function flattenChange({ kinds, noteid, members, before, after, cause, unexplained }: ListedChange): FlatChange {
  const state = after ?? before
  const [write] = cause.writes
  return {
    kinds: kinds.join(', '),
    noteid,
    title: state?.title ?? '',
    before: before && after ? describeState(before, kinds, members) : '',
    after: after ? describeState(after, kinds, members) : '',
    certainty: cause.certainty,
    method: write?.method ?? '',
    path: write?.path ?? '',
    origin: write ? formatOrigin(write) : '',
    unexplained: unexplained?.join(', ') ?? '',
  }
}

const NO_CAUSE = { certainty: '', method: '', path: '', origin: '', unexplained: '' }

/** Nothing in the contract sets a color level, so there is no call to look for. */
export function flattenLevel({ colorIndex, before, after }: LevelChange): FlatChange {
  const isSameBase = before?.base === after?.base
  const [oldColor = 'none', newColor = 'none'] = [before, after].map(
    (level) => level?.[isSameBase ? 'display' : 'base'],
  )
  const [prefix, title] = [isSameBase ? 'display: ' : '', `level ${colorIndex}`]
  return {
    kinds: 'palette',
    noteid: '',
    title,
    before: `${prefix}${oldColor}`,
    after: `${prefix}${newColor}`,
    ...NO_CAUSE,
  }
}

/** Only what differs: for a moved card its place, and the members that changed. */
function describeState(state: SnapshotCardState, kinds: ListedChange['kinds'], members: readonly string[]): string {
  const place = `${state.position} below ${state.parentTitle || state.parentId || 'no card'}`
  const isPlaced = kinds.includes('moved') || kinds.includes('added')
  const values = members.map((name) => {
    const value = name === 'title' ? state.title : state.members[name]
    return `${name}: ${value === undefined ? 'none' : typeof value === 'string' ? value : JSON.stringify(value)}`
  })
  return [...(isPlaced ? [place] : []), ...values].join('; ')
}

const formatOrigin = ({ origin: { kind, label } }: RecordedWrite): string =>
  label === null ? kind : `${kind} ${label}`

export const changeLayout: EntryLayout = {
  columns: toColumns(
    'kinds',
    'noteid',
    'title',
    'before',
    'after',
    'certainty',
    'method',
    'path',
    'origin',
    'unexplained',
  ),
  formatText(change, { style }) {
    const [before, after] = [getTextAt(change, 'before'), getTextAt(change, 'after')]
    const states = before === '' ? after : `${before} → ${after}`
    const title = getTextAt(change, 'title')
    return [
      `${style.bold(getTextAt(change, 'kinds'))}  ${title === '' ? '' : `${title}  `}${style.dim(getTextAt(change, 'noteid'))}`,
      ...(states === '' ? [] : [`    ${states}`]),
      ...(getTextAt(change, 'certainty') === '' ? [] : [`    ${style.dim(formatCause(change))}`]),
    ].join('\n')
  },
}

/** The sentence that says who made a change, and how certain that is. */
function formatCause(change: unknown): string {
  const unexplained = getTextAt(change, 'unexplained')
  return unexplained === '' ? formatCall(change) : `${formatCall(change)}, but not: ${unexplained}`
}

function formatCall(change: unknown): string {
  const call = `${getTextAt(change, 'method')} ${getTextAt(change, 'path')} (${getTextAt(change, 'origin')})`
  switch (getTextAt(change, 'certainty')) {
    case 'named':
      return `${call}, which names the card`
    case 'partly':
      return `${call}, which names the card but does not explain all of it`
    case 'parent':
      return `${call}, which names a card above it`
    case 'time':
      return `only the time fits: ${call}`
    case 'nobody':
      return 'nobody that was recorded'
    default:
      return ''
  }
}

const toCell = (text: string): string => toMarkdownCell(toPlainText(text))

/** Titles come from the host, so nothing in them may act as Markdown. */
export async function printMarkdown(io: Io, heading: string, changes: readonly FlatChange[]): Promise<void> {
  const lines = changes.map((change) => {
    const { kinds, title, noteid, before, after } = change
    return `| ${[kinds, title, noteid, before, after, formatCause(change)].map(toCell).join(' | ')} |`
  })
  const table = ['| Change | Card | Id | Before | After | Cause |', '| --- | --- | --- | --- | --- | --- |', ...lines]
  await io.print(`# ${toCell(heading)}\n\n${changes.length === 0 ? 'No differences.' : table.join('\n')}\n`)
}
