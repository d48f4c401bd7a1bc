import { isObject } from '../json/object.ts'
import type { Excerpt } from './resources/documents.ts'

/** One of several excerpts at the same position. Members that the host does not send are null. */
export interface DuplicateExcerpt {
  /** Id of the record in the document's notebook. */
  readonly noteid: string | null
  readonly cardNoteId: string | null
  readonly topicid: string | null
  readonly page: number | null
  readonly startpos: number | null
  readonly endpos: number | null
  readonly text: string | null
}

interface DuplicateGroup {
  /** Indexes in the list that the host sent. */
  readonly indexes: readonly number[]
  readonly excerpts: readonly DuplicateExcerpt[]
}

type Name = keyof DuplicateExcerpt
const memberPatterns: readonly (readonly [RegExp, Name])[] = [
  [/^(?:noteid|recordid|record|recordnoteid)$/, 'noteid'],
  [/^(?:cardnoteid|cardid|card)$/, 'cardNoteId'],
  [/^(?:topicid|topic|studysetid|studyset)$/, 'topicid'],
  [/^(?:page|pageno)$/, 'page'],
  [/^(?:startpos|start)$/, 'startpos'],
  [/^(?:endpos|end)$/, 'endpos'],
  [/^(?:text|excerpt|content)$/, 'text'],
]
const EMPTY_EXCERPT: DuplicateExcerpt = {
  noteid: null,
  cardNoteId: null,
  topicid: null,
  page: null,
  startpos: null,
  endpos: null,
  text: null,
}
const numericNames: ReadonlySet<Name> = new Set<Name>(['page', 'startpos', 'endpos'])
/** Tells members of one name apart: `noteidA`, `first_noteid`, `otherCardNoteId`. */
const MARK =
  /^(first|second|left|right|other|duplicate|original)[_-]?(?=[A-Za-z])|(?<=[A-Za-z])[_-]?([AB12]|First|Second)$/
const MAX_EXCERPTS = 100
const MAX_DEPTH = 6

const nameOf = (member: string): Name | undefined =>
  memberPatterns.find(([pattern]) => pattern.test(member.toLowerCase().replaceAll(/[_-]/g, '')))?.[1]

function toMemberValue(name: Name, value: unknown): string | number | null {
  if (numericNames.has(name)) return typeof value === 'number' && Number.isFinite(value) ? value : null
  return typeof value === 'string' && value !== '' ? value : null
}

const isExcerpt = ({ noteid, cardNoteId }: DuplicateExcerpt): boolean => noteid !== null || cardNoteId !== null

/** Excerpts of `duplicates`, whose shape the contract does not show; empty without any. */
export function parseDuplicateExcerpts(
  value: unknown,
  inherited = EMPTY_EXCERPT,
  depth = 0,
): readonly DuplicateExcerpt[] {
  if (depth > MAX_DEPTH) return []
  if (Array.isArray(value)) {
    return (value as unknown[])
      .slice(0, MAX_EXCERPTS)
      .flatMap((entry) => parseDuplicateExcerpts(entry, inherited, depth + 1))
  }
  if (!isObject(value)) return []
  const members = Object.entries(value).slice(0, MAX_EXCERPTS)
  const valuesByMark = new Map<string, Partial<Record<Name, string | number>>>()
  for (const [member, memberValue] of members) {
    const mark = nameOf(member) ? '' : (MARK.exec(member)?.[0] ?? '')
    const name = nameOf(member.replace(MARK, (part) => (part === mark ? '' : part)))
    const knownValue = name === undefined ? null : toMemberValue(name, memberValue)
    if (name !== undefined && knownValue !== null)
      valuesByMark.set(mark, { ...valuesByMark.get(mark), [name]: knownValue })
  }
  const { '': plain = {}, ...others } = Object.fromEntries(valuesByMark)
  const common = { ...inherited, ...plain } as DuplicateExcerpt
  const shared = { ...common, noteid: null, cardNoteId: null }
  const inner = [
    ...Object.values(others).map((marked) => ({ ...shared, ...marked }) as DuplicateExcerpt),
    ...members.flatMap(([, memberValue]) =>
      typeof memberValue === 'object' ? parseDuplicateExcerpts(memberValue, shared, depth + 1) : [],
    ),
    ...collectParallelLists(members, shared),
  ].filter(isExcerpt)
  const ownExcerpts = isExcerpt(common) ? [common] : []
  return [...ownExcerpts, ...inner].slice(0, MAX_EXCERPTS)
}

/** Reads excerpts from lists of ids in the same order: `noteids`, `cardNoteIds`, `topicids`. */
function collectParallelLists(
  members: readonly (readonly [string, unknown])[],
  shared: DuplicateExcerpt,
): DuplicateExcerpt[] {
  const lists = members.flatMap(([member, list]) => {
    const name = nameOf(member.replace(/s$/i, ''))
    const isList = Array.isArray(list) && list.length > 0 && list.every((entry) => typeof entry !== 'object')
    return name !== undefined && isList ? [{ name, values: list as unknown[] }] : []
  })
  const length = Math.min(MAX_EXCERPTS, Math.max(0, ...lists.map(({ values }) => values.length)))
  return Array.from({ length }, (_, index) => {
    const memberValues = lists.map(({ name, values }) => [name, toMemberValue(name, values[index])] as const)
    return {
      ...shared,
      ...(Object.fromEntries(memberValues.filter(([, value]) => value !== null)) as Partial<DuplicateExcerpt>),
    }
  })
}

/**
 * Groups the elements of `duplicates` by position. If each element is one excerpt, those at the
 * same position form a group. Members that an element lacks are taken from the document's excerpts.
 */
export function groupDuplicates(duplicates: readonly unknown[], excerpts: readonly Excerpt[] = []): DuplicateGroup[] {
  const indexById = (name: 'noteid' | 'cardNoteId') =>
    new Map(excerpts.map((excerpt) => [excerpt[name] ?? null, excerpt]))
  const [byRecord, byCard] = [indexById('noteid'), indexById('cardNoteId')]
  const fillFromExcerpts = (side: DuplicateExcerpt): DuplicateExcerpt => {
    const excerpt =
      (side.noteid === null ? undefined : byRecord.get(side.noteid)) ??
      (side.cardNoteId === null ? undefined : byCard.get(side.cardNoteId))
    if (!excerpt) return side
    const completeMembers = Object.entries(side).map(([name, value]) => [name, value ?? excerpt[name as Name] ?? null])
    return Object.fromEntries(completeMembers) as DuplicateExcerpt
  }
  const groups = new Map<string, { indexes: number[]; excerpts: DuplicateExcerpt[] }>()
  duplicates.forEach((value, index) => {
    const sides = parseDuplicateExcerpts(value).map(fillFromExcerpts)
    const [only, ...more] = sides
    const { page = null, startpos = null, endpos = null } = only ?? {}
    const isLone = more.length === 0 && page !== null && startpos !== null
    const key = isLone ? `${page}/${startpos}/${endpos}` : `#${index}`
    const group = groups.get(key) ?? { indexes: [], excerpts: [] }
    group.indexes.push(index)
    group.excerpts.push(...sides)
    groups.set(key, group)
  })
  return [...groups.values()]
}
