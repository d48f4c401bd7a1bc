import { chromium } from '@playwright/test'
import { chromiumArgs, ensureTestChromium } from '../../scripts/lib/chromium.mjs'
import { listResponses, casesOf, sampled, seeded, type Case } from './cases.ts'
import { judge, misfits, type Fall } from './judge.ts'
import { membersOf } from './members.ts'
import type { Station } from './stations.ts'
import { startVisitor, type Visited, type Visitor } from './visitor.ts'

/** The results of one station's cases. */
export interface StationResult {
  readonly station: string
  readonly answers: number
  readonly members: number
  readonly cases: number
  /** Cases whose response was not requested again, so they prove nothing. */
  readonly missed: number
  /** Cases that failed once, but not when retried alone. */
  readonly once: number
  readonly falls: readonly FallenCase[]
  /** Changes that break the contract, and whether the view reported a mismatch. */
  readonly said: ReadonlyMap<string, boolean>
}

export interface FallenCase {
  readonly case: Omit<Case, 'station'>
  readonly falls: readonly Fall[]
}

export interface RunOptions {
  readonly workers: number
  /** The stations to visit, in this order. */
  readonly selectStations: (all: readonly Station[]) => readonly Station[]
  readonly wantedCase: (one: Case) => boolean
  /** Maximum cases per station, chosen by the seed; null = all. */
  readonly perStation: number | null
  readonly seed: number
  onStation(result: StationResult): void
  onFall(station: Station, fallen: FallenCase): void
}

/** Runs every case of every wanted station. */
export async function run(stations: (visitor: Visitor) => readonly Station[], options: RunOptions): Promise<void> {
  let next = 0
  const browser = await chromium.launch({ executablePath: await ensureTestChromium(), args: chromiumArgs })
  const work = async (): Promise<void> => {
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
  const ended = await Promise.allSettled(Array.from({ length: options.workers }, work))
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
  const before = await baseline(visitor, station)
  // Heartbeats and cached responses are not reads of this place.
  const [first, second] = before.map(({ served }) => served)
  const always = (first ?? []).filter(({ answer }) => second?.some((other) => other.answer === answer))
  const recorded = { station, served: always }
  const responses = listResponses(recorded, all)
  const allCases = casesOf(recorded, all).filter(options.wantedCase)
  const random = seeded(options.seed ^ hashOf(station.name))
  const cases = options.perStation === null ? allCases : sampled(allCases, options.perStation, random)
  const falls: FallenCase[] = []
  const textsFound = new Map<string, boolean>()
  const quiet = before.every((visit) => !visit.said)
  let missed = 0
  let unchangedCount = 0
  for (const testCase of cases) {
    const { now, again, falls: foundFalls, unchanged } = await tried(visitor, station, testCase, before)
    if (station.flows && unchanged) before.push(unchanged)
    const { endpoint, answer, pointer, mutation } = testCase
    if (foundFalls === null) missed += 1
    else if (misfits(now)) textsFound.set(`${endpoint} ${pointer || '(answer)'} ${mutation}`, now.said && quiet)
    if (again && foundFalls?.length === 0) unchangedCount += 1
    if (foundFalls === null || foundFalls.length === 0) continue
    const fallen = { case: { endpoint, answer, pointer, mutation }, falls: foundFalls }
    falls.push(fallen)
    options.onFall(station, fallen)
  }
  const members = responses.reduce((sum, { original }) => sum + membersOf(original).length, 0)
  return {
    station: station.name,
    answers: responses.length,
    members,
    cases: cases.length,
    missed,
    once: unchangedCount,
    falls,
    said: textsFound,
  }
}

/** Changes that break the contract without any view reporting it. */
export function unsaid(results: readonly StationResult[]): readonly string[] {
  const all = new Set(results.flatMap(({ said }) => [...said.keys()]))
  return [...all].filter((key) => !results.some(({ said }) => said.get(key) === true))
}

interface Tried {
  readonly now: Visited
  /** Whether the case failed once and was retried. */
  readonly again: boolean
  /** Null if the response was not requested again. */
  readonly falls: readonly Fall[] | null
  /** How the station looked with nothing changed, right before it was retried. */
  readonly unchanged?: Visited
}

/** Runs a case; a failing one is retried on a fresh page with more time. */
async function tried(visitor: Visitor, station: Station, testCase: Case, before: readonly Visited[]): Promise<Tried> {
  const first = await visitor.visit(station, testCase)
  if (!first.served.some(({ entry }) => entry !== null)) return { now: first, again: false, falls: null }
  if (judge(before, first, testCase).length === 0) return { now: first, again: false, falls: [] }
  await visitor.reload()
  const unchanged = await visitor.visit(station, null)
  const expected = station.flows ? [...before, unchanged] : before
  const second = await visitor.visit(station, testCase, (now) => judge(expected, now, testCase).length === 0)
  await visitor.reload()
  await visitor.visit(station, null)
  return { now: second, again: true, falls: judge(expected, second, testCase), unchanged }
}

/** Visits a station unchanged, twice after a first visit that only loads its code. */
async function baseline(visitor: Visitor, station: Station): Promise<Visited[]> {
  await visitor.visit(station, null)
  const visits = [await visitor.visit(station, null), await visitor.visit(station, null)]
  for (const visit of visits) {
    const falls = judge(visits, visit, null)
    if (falls.length > 0) throw new Error(`${station.name} falls with nothing changed: ${JSON.stringify(falls)}`)
  }
  return visits
}

const hashOf = (text: string): number =>
  [...text].reduce((hash, char) => (Math.imul(hash, 31) + char.charCodeAt(0)) | 0, 7)
