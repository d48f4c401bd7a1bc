import { isJsonEndpointId } from '../../shared/bridge/endpoints/index.ts'
import { readResponse } from '../../shared/bridge/response-reading.ts'
import { listTexts, getValue } from './members.ts'
import type { Mutation, Served } from './proxy.ts'
import { isShared } from './stations.ts'
import type { StationVisit } from './visitor.ts'

/** The kinds of failure in the report. */
export const failureKinds = ['blank', 'error', 'service', 'stuck', 'lost', 'unsettled'] as const
export type FailureKind = (typeof failureKinds)[number]

export interface Failure {
  readonly kind: FailureKind
  readonly what: string
}

/**
 * Members that decide whether there is anything to show at all: without the right token nothing is
 * read, and an unavailable context is empty.
 */
const isDecisive = (mutation: Mutation | null): boolean =>
  (mutation?.responseKey === 'GET /status' && mutation.pointer === '/authorized') ||
  (mutation?.responseKey === 'GET /context' && mutation.pointer === '/available')

/** Checks one case: what went wrong in it, compared with the same station unchanged. */
export function judge(
  before: readonly StationVisit[],
  now: StationVisit,
  mutation: Mutation | null,
): readonly Failure[] {
  const failures: Failure[] = []
  const add = (kind: FailureKind, description: string): void => void failures.push({ kind, what: description })
  if (before.every(({ hasLandmark }) => hasLandmark) && !now.hasLandmark) add('blank', 'no toolbar, heading or tabs')
  if (before.every(({ hasContent }) => hasContent) && !now.hasContent && now.alerts.length === 0) {
    add('blank', 'nothing beside the toolbar, and no alert')
  }
  for (const error of now.errors) add('error', error)
  for (const line of now.serviceErrors) add('service', line)
  if (!now.hasLeft) add('stuck', 'another place could not be gone to')
  if (!now.isSettled) add('unsettled', 'it did not come to rest')
  const lost = isDecisive(mutation) ? [] : listLostTexts(before, now)
  if (lost.length > 0) add('lost', lost.map((text) => text.slice(0, 80)).join(' | '))
  return failures
}

/** Whether the changed response breaks a statement of the contract that the original kept. */
export function hasMisfit({ served }: StationVisit): boolean {
  const changed = served.find(({ entry }) => entry !== null)
  if (!changed || !isJsonEndpointId(changed.endpoint)) return false
  const id = changed.endpoint
  const countProblems = (rawValue: unknown): number => readResponse(id, rawValue).bindingProblemCount
  return countProblems(changed.sent) > countProblems(changed.original)
}

/**
 * Host texts that are normally visible, do not belong to what was changed, and are no longer
 * visible.
 */
function listLostTexts(before: readonly StationVisit[], now: StationVisit): string[] {
  const fine = new Set<string>()
  const ownTexts = new Set<string>()
  const changedAt = Math.min(...now.served.filter(({ entry }) => entry !== null).map(({ sentAt }) => sentAt))
  for (const response of now.served) {
    const { original, entry } = response
    if (entry === null && (isNamed(response) || isForTitle(response, now) || response.requestedAt > changedAt)) continue
    if (entry?.every((step) => typeof step === 'string') && isUnusable(now, getValue(original, entry))) continue
    for (const text of listTexts(original, entry)) fine.add(collapseSpaces(text))
    if (entry) for (const text of listTexts(getValue(original, entry))) ownTexts.add(collapseSpaces(text))
  }
  return [...fine].filter(
    (text) =>
      text.length > 1 &&
      !isIn(ownTexts, text) &&
      before.every((visit) => isInSight(visit, text)) &&
      !isInSight(now, text),
  )
}

/**
 * Whether the place reports that a response lacks its main list or object, and shows it as sent.
 */
const isUnusable = (now: StationVisit, before: unknown): boolean =>
  typeof before === 'object' &&
  before !== null &&
  now.alerts.some((text) => /ANSWER_UNFIT|NOT_JSON|TREE_PAGE/.test(text))

/**
 * Whether a response is shown only where another one refers to it, such as titles of study sets and
 * colors of levels. The other response may be the changed one, or requested later.
 */
const isNamed = (response: Served): boolean => isShared(response) || response.endpoint === 'studySets.palette'

/**
 * Whether only the document's title is taken from a response that lists some of its excerpts, while
 * the list comes from the changed one.
 */
const isForTitle = (response: Served, { served }: StationVisit): boolean =>
  response.endpoint === 'documents.excerpts' &&
  response.responseKey.includes('duplicatesOnly') &&
  served.some(({ entry, endpoint }) => entry !== null && endpoint === response.endpoint)

/** Whether a text is visible, also as part of a longer one. */
const isIn = (texts: ReadonlySet<string>, part: string): boolean => [...texts].some((text) => text.includes(part))

/** A short text counts only on its own: "token" is part of many sentences. */
function isInSight(page: StationVisit, text: string): boolean {
  const pageTexts = textsByPage.get(page) ?? {
    lines: new Set(page.text.split('\n').map(collapseSpaces)),
    all: collapseSpaces(page.text),
  }
  textsByPage.set(page, pageTexts)
  return pageTexts.lines.has(text) || (text.length >= LONG_ENOUGH && pageTexts.all.includes(text))
}

const LONG_ENOUGH = 12
const textsByPage = new WeakMap<StationVisit, { readonly lines: ReadonlySet<string>; readonly all: string }>()

/** Collapses white space to one space, as rendering does. */
const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ').trim()
