import { z } from 'zod'
import {
  deviationSchema,
  getDeviationId,
  isBindingDeviation,
  MAX_DEVIATION_TEXT_CHARS,
  MAX_LISTED_VERSIONS,
  type Deviation,
  type ExchangeDeviation,
} from '../../../shared/contract/deviation.ts'

/** A host can invent any number of members and routes, so further groups are only counted. */
const MAX_GROUPS = 2_000
const MAX_GROUPS_PER_ROUTE = 200
/** Different values that one group shows. */
const MAX_SHOWN_VALUES = 6

const groupSchema = deviationSchema
  .omit({ muted: true, isNew: true, sampleSeq: true, sampleId: true })
  .extend({ firstExchangeId: z.string(), lastExchangeId: z.string() })

/** Muting and the mark of the new are stored elsewhere. */
export type DeviationGroup = z.infer<typeof groupSchema>

export function parseGroup(value: unknown): DeviationGroup | null {
  return groupSchema.safeParse(value).data ?? null
}

export interface DeviatingExchange {
  readonly seq: number
  readonly id: string
  readonly startedAt: number
  /** Version that the host had reported by then; null if it had not. */
  readonly version: string | null
}

/** Collects deviations by route, folded pointer and kind. */
export class DeviationGroups {
  readonly #groups = new Map<string, DeviationGroup>()
  readonly #countsByRoute = new Map<string, number>()
  readonly #changedIds = new Set<string>()
  ungroupedCount = 0
  changeCount = 0

  constructor(groups: readonly DeviationGroup[] = []) {
    for (const group of groups) this.#insert(group)
  }

  get size(): number {
    return this.#groups.size
  }

  list(): readonly DeviationGroup[] {
    return [...this.#groups.values()]
  }

  /** Returns the groups that changed since `markSaved`. */
  listChanged(): readonly DeviationGroup[] {
    return [...this.#changedIds].flatMap((id) => this.#groups.get(id) ?? [])
  }

  get hasChanged(): boolean {
    return this.#changedIds.size > 0
  }

  markSaved(): void {
    this.#changedIds.clear()
  }

  /** Keeps the dates of deviations whose first exchange can no longer be judged. */
  inheritHistory(previousGroups: readonly DeviationGroup[], isStored: (seq: number) => boolean): void {
    for (const previous of previousGroups) {
      const group = this.#groups.get(previous.id)
      if (group && previous.firstSeq < group.firstSeq && !isStored(previous.firstSeq))
        this.#change(mergeHistory(group, previous))
    }
  }

  #change(group: DeviationGroup): void {
    this.#groups.set(group.id, group)
    this.#changedIds.add(group.id)
    this.changeCount += 1
  }

  add(deviations: readonly ExchangeDeviation[], exchange: DeviatingExchange): void {
    for (const deviation of deviations) this.#add(deviation, exchange)
  }

  #add(deviation: ExchangeDeviation, { seq, id: exchangeId, startedAt, version }: DeviatingExchange): void {
    const id = getDeviationId(deviation)
    const group = this.#groups.get(id)
    if (!group) {
      const isFull =
        this.#groups.size >= MAX_GROUPS || (this.#countsByRoute.get(getRoute(deviation)) ?? 0) >= MAX_GROUPS_PER_ROUTE
      if (isFull) {
        if (isBindingDeviation(deviation)) this.ungroupedCount += deviation.count
        return
      }
      const firstOccurrence = {
        ...deviation,
        id,
        exchangeCount: 1,
        firstAt: startedAt,
        lastAt: startedAt,
        firstSeq: seq,
        lastSeq: seq,
        firstExchangeId: exchangeId,
        lastExchangeId: exchangeId,
        hostVersions: version === null ? [] : [version],
        hasMoreVersions: false,
        hasUnknownVersion: version === null,
      }
      this.#insert(firstOccurrence)
      this.#change(firstOccurrence)
    } else this.#change(mergeOccurrence(group, deviation, { seq, id: exchangeId, startedAt, version }))
  }

  /** Removes the examples that come from exchanges that are no longer stored. */
  dropExamples(isStored: (seq: number) => boolean): void {
    for (const group of this.#groups.values()) {
      if (group.example === null || isStored(group.lastSeq)) continue
      this.#change({ ...group, example: null })
    }
  }

  #insert(group: DeviationGroup): void {
    this.#groups.set(group.id, group)
    this.#countsByRoute.set(getRoute(group), (this.#countsByRoute.get(getRoute(group)) ?? 0) + 1)
  }
}

const getRoute = ({ method, template }: Pick<ExchangeDeviation, 'method' | 'template'>): string =>
  `${method} ${template}`

function mergeOccurrence(
  group: DeviationGroup,
  deviation: ExchangeDeviation,
  { seq, id, startedAt, version }: DeviatingExchange,
): DeviationGroup {
  const isNewVersion = version !== null && !group.hostVersions.includes(version)
  const hasRoom = group.hostVersions.length < MAX_LISTED_VERSIONS
  return {
    ...group,
    basis: deviation.basis,
    actual: joinValues(group.actual, deviation.actual),
    // The example is always from the last exchange.
    example: deviation.example,
    count: group.count + deviation.count,
    exchangeCount: group.exchangeCount + 1,
    firstAt: Math.min(group.firstAt, startedAt),
    lastAt: Math.max(group.lastAt, startedAt),
    lastSeq: seq,
    lastExchangeId: id,
    hostVersions: isNewVersion && hasRoom ? [...group.hostVersions, version] : group.hostVersions,
    hasMoreVersions: group.hasMoreVersions || (isNewVersion && !hasRoom),
    hasUnknownVersion: group.hasUnknownVersion || version === null,
  }
}

function mergeHistory(group: DeviationGroup, previous: DeviationGroup): DeviationGroup {
  const versions = [...new Set([...previous.hostVersions, ...group.hostVersions])]
  return {
    ...group,
    firstAt: Math.min(group.firstAt, previous.firstAt),
    firstSeq: previous.firstSeq,
    firstExchangeId: previous.firstExchangeId,
    hostVersions: versions.slice(0, MAX_LISTED_VERSIONS),
    hasMoreVersions: group.hasMoreVersions || previous.hasMoreVersions || versions.length > MAX_LISTED_VERSIONS,
    hasUnknownVersion: group.hasUnknownVersion || previous.hasUnknownVersion,
  }
}

/** Lists the different values of a group; an ellipsis stands for further ones. */
function joinValues(text: string, value: string): string {
  const values = text.split(', ')
  if (value === '' || text === value || values.includes(value) || text.endsWith('…')) return text
  const isFull = values.length >= MAX_SHOWN_VALUES || text.length + value.length > MAX_DEVIATION_TEXT_CHARS - 10
  return isFull ? `${text}, …` : `${text}, ${value}`
}

/** @param muted the reason and time, or null */
export function toDeviation(
  { firstExchangeId, lastExchangeId, ...group }: DeviationGroup,
  muted: Deviation['muted'],
  markedSeq: number | null,
  isStored: (seq: number) => boolean,
): Deviation {
  const sample = isStored(group.lastSeq)
    ? { sampleSeq: group.lastSeq, sampleId: lastExchangeId }
    : isStored(group.firstSeq)
      ? { sampleSeq: group.firstSeq, sampleId: firstExchangeId }
      : { sampleSeq: null, sampleId: null }
  return { ...group, ...sample, muted, isNew: markedSeq !== null && group.firstSeq > markedSeq }
}
