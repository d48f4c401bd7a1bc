import { chromium } from '@playwright/test'
import { chromiumArgs, ensureTestChromium } from '../../scripts/lib/chromium.mjs'
import { listResponses, listCases, pickSample, createRandom, type Case } from './cases.ts'
import { countVerdicts, judgeChange, type ContractVerdict } from './contract-verdict.ts'
import { judge, hasMisfit, type Failure } from './judge.ts'
import { listMembers, locate } from './members.ts'
import { mutate } from './mutations.ts'
import type { Served } from './proxy.ts'
import type { Station } from './stations.ts'
import { startVisitor, type StationVisit, type Visitor } from './visitor.ts'

/** The results of one station's cases. */
export interface StationResult {
  readonly station: string
  readonly responses: number
  readonly members: number
  readonly cases: number
  /** Cases whose response was not requested again, so they prove nothing. */
  readonly unreachedCount: number
  /** Cases that failed once, but not when retried alone. */
  readonly passedOnRetryCount: number
  readonly failures: readonly FailedCase[]
  /** Changes that break the contract, and whether the view reported a mismatch. */
  readonly reportedByChange: ReadonlyMap<string, boolean>
  /** All changes of the station's responses, by what the judge of the contract says about them. */
  readonly contractCounts: Readonly<Record<ContractVerdict, number>>
}

export interface FailedCase {
  readonly case: Omit<Case, 'station'>
  readonly failures: readonly Failure[]
}

export interface RunOptions {
  readonly workers: number
  /** The stations to visit, in this order. */
  readonly selectStations: (all: readonly Station[]) => readonly Station[]
  readonly isWantedCase: (testCase: Case) => boolean
  /** Maximum cases per station, chosen by the seed; null = all. */
  readonly perStation: number | null
  readonly seed: number
  onStation(result: StationResult): void
  onFailure(station: Station, failedCase: FailedCase): void
}

/** Runs every case of every wanted station. */
export async function run(stations: (visitor: Visitor) => readonly Station[], options: RunOptions): Promise<void> {
  let next = 0
  const browser = await chromium.launch({ executablePath: await ensureTestChromium(), args: chromiumArgs })
  const runWorker = async (): Promise<void> => {
    const visitor = await startVisitor(browser)
    try {
      const all = stations(visitor)
      const selection = options.selectStations(all)
      for (let index = next++; index < selection.length; index = next++) {
        const station = selection[index]
        if (!station) break
        options.onStation(await runStation(visitor, station, all, options))
      }
    } finally {
      await visitor.close()
    }
  }
  const ended = await Promise.allSettled(Array.from({ length: options.workers }, runWorker))
  await browser.close()
  for (const outcome of ended) if (outcome.status === 'rejected') throw outcome.reason
}

async function runStation(
  visitor: Visitor,
  station: Station,
  all: readonly Station[],
  options: RunOptions,
): Promise<StationResult> {
  await visitor.reload()
  const before = await visitUnchanged(visitor, station)
  // Heartbeats and cached responses are not reads of this place.
  const [first, second] = before.map(({ served }) => served)
  const always = (first ?? []).filter(({ responseKey }) => second?.some((other) => other.responseKey === responseKey))
  const recorded = { station, served: always }
  const responses = listResponses(recorded, all)
  const allCases = listCases(recorded, all).filter(options.isWantedCase)
  const random = createRandom(options.seed ^ hashOf(station.name))
  const cases = options.perStation === null ? allCases : pickSample(allCases, options.perStation, random)
  const failures: FailedCase[] = []
  const reportedByChange = new Map<string, boolean>()
  const isQuietUnchanged = before.every((visit) => !visit.reportsMismatch)
  let unreachedCount = 0
  let passedOnRetryCount = 0
  for (const testCase of cases) {
    const { now, isRetried, failures: caseFailures, unchanged } = await runCase(visitor, station, testCase, before)
    if (station.flows && unchanged) before.push(unchanged)
    const { endpoint, responseKey, pointer, mutation } = testCase
    if (caseFailures === null) unreachedCount += 1
    else if (hasMisfit(now))
      reportedByChange.set(
        `${endpoint} ${pointer || '(response)'} ${mutation}`,
        now.reportsMismatch && isQuietUnchanged,
      )
    if (isRetried && caseFailures?.length === 0) passedOnRetryCount += 1
    if (caseFailures === null || caseFailures.length === 0) continue
    const failedCase = { case: { endpoint, responseKey, pointer, mutation }, failures: caseFailures }
    failures.push(failedCase)
    options.onFailure(station, failedCase)
  }
  const members = responses.reduce((sum, { original }) => sum + listMembers(original).length, 0)
  return {
    station: station.name,
    responses: responses.length,
    members,
    cases: cases.length,
    unreachedCount,
    passedOnRetryCount,
    failures: failures,
    reportedByChange,
    contractCounts: countContractVerdicts(responses, allCases),
  }
}

/** The judge needs no page, so each change is judged, however few of them a page is shown. */
function countContractVerdicts(
  responses: readonly Served[],
  cases: readonly Case[],
): Readonly<Record<ContractVerdict, number>> {
  const verdicts = cases.flatMap(({ endpoint, responseKey, pointer, mutation }) => {
    const original = responses.find((response) => response.responseKey === responseKey)?.original
    const place = locate(original, pointer)
    const changed = place && mutate(original, place, mutation)
    const [method = '', path = ''] = responseKey.split(' ', 2)
    return changed ? [judgeChange(endpoint, pointer, original, changed.value, { method, path })] : []
  })
  return countVerdicts(verdicts)
}

/** Changes that break the contract without any view reporting it. */
export function listUnreported(results: readonly StationResult[]): readonly string[] {
  const all = new Set(results.flatMap(({ reportedByChange }) => [...reportedByChange.keys()]))
  return [...all].filter((key) => !results.some(({ reportedByChange }) => reportedByChange.get(key) === true))
}

interface CaseResult {
  readonly now: StationVisit
  /** Whether the case failed once and was retried. */
  readonly isRetried: boolean
  /** Null if the response was not requested again. */
  readonly failures: readonly Failure[] | null
  /** How the station looked with nothing changed, right before it was retried. */
  readonly unchanged?: StationVisit
}

/** Runs a case; a failing one is retried on a fresh page with more time. */
async function runCase(
  visitor: Visitor,
  station: Station,
  testCase: Case,
  before: readonly StationVisit[],
): Promise<CaseResult> {
  const first = await visitor.visit(station, testCase)
  if (!first.served.some(({ entry }) => entry !== null)) return { now: first, isRetried: false, failures: null }
  if (judge(before, first, testCase).length === 0) return { now: first, isRetried: false, failures: [] }
  await visitor.reload()
  const unchanged = await visitor.visit(station, null)
  const expected = station.flows ? [...before, unchanged] : before
  const second = await visitor.visit(station, testCase, (now) => judge(expected, now, testCase).length === 0)
  await visitor.reload()
  await visitor.visit(station, null)
  return { now: second, isRetried: true, failures: judge(expected, second, testCase), unchanged }
}

/** Visits a station unchanged, twice after a first visit that only loads its code. */
async function visitUnchanged(visitor: Visitor, station: Station): Promise<StationVisit[]> {
  await visitor.visit(station, null)
  const visits = [await visitor.visit(station, null), await visitor.visit(station, null)]
  for (const visit of visits) {
    const failures = judge(visits, visit, null)
    if (failures.length > 0) throw new Error(`${station.name} fails with nothing changed: ${JSON.stringify(failures)}`)
  }
  return visits
}

const hashOf = (text: string): number =>
  [...text].reduce((hash, char) => (Math.imul(hash, 31) + char.charCodeAt(0)) | 0, 7)
