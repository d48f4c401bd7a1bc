import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import { contractVerdicts } from './contract-verdict.ts'
import { failureKinds } from './judge.ts'
import type { StationResult } from './run.ts'

/** The results of a full run so far. A run takes an hour, and can be continued after a stop. */
export interface Progress {
  readonly results: readonly StationResult[]
  readonly seconds: number
}

const result = z.object({
  station: z.string(),
  responses: z.number(),
  members: z.number(),
  cases: z.number(),
  unreachedCount: z.number(),
  passedOnRetryCount: z.number(),
  failures: z.array(
    z.object({
      case: z.object({ endpoint: z.string(), responseKey: z.string(), pointer: z.string(), mutation: z.string() }),
      failures: z.array(z.object({ kind: z.enum(failureKinds), what: z.string() })),
    }),
  ),
  reportedByChange: z.array(z.tuple([z.string(), z.boolean()])).transform((entries) => new Map(entries)),
  contractCounts: z.record(z.enum(contractVerdicts), z.number()),
})

const saved = z.object({ build: z.string(), seconds: z.number(), results: z.array(result) })

/** Replaces the file as a whole: a run that is stopped meanwhile leaves the last state. */
export function saveProgress(file: string, build: string, { results, seconds }: Progress): void {
  mkdirSync(path.dirname(file), { recursive: true })
  const plain = results.map((stationResult) => ({
    ...stationResult,
    reportedByChange: [...stationResult.reportedByChange],
  }))
  writeFileSync(`${file}.new`, JSON.stringify({ build, seconds, results: plain }))
  renameSync(`${file}.new`, file)
}

/** Returns the progress saved for this build, or the reason why there is none. */
export function readProgress(file: string, build: string): Progress | string {
  try {
    const { data } = saved.safeParse(JSON.parse(readFileSync(file, 'utf8')))
    if (!data) return `${file} is not the state of a run`
    return data.build === build ? data : 'the stopped run was one of another build'
  } catch {
    return 'no run was stopped'
  }
}

export const forgetProgress = (file: string): void => rmSync(file, { force: true })

/** A digest of all files below these folders, by name and content. */
export function computeDigest(folders: readonly string[]): string {
  const hash = createHash('sha256')
  for (const folder of folders) {
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()) {
      if (!/\.(?:js|ts|css|html)$/.test(name)) continue
      hash.update(`${name}\n`).update(readFileSync(path.join(folder, name)))
    }
  }
  return hash.digest('hex')
}

/**
 * Sorts by the number of cases in the last report, largest first; unknown items come before all
 * others.
 */
export function sortLongestFirst<T extends { readonly name: string }>(
  stations: readonly T[],
  report: string,
): readonly T[] {
  const rows = report.matchAll(/^\| ([^|]*?) *\| *\d+ *\| *\d+ *\| *(\d+) *\|/gm)
  const cases = new Map([...rows].map(([, name = '', count]) => [name, Number(count)]))
  const rankOf = ({ name }: T): number => cases.get(name) ?? Infinity
  return [...stations].sort((station, other) =>
    rankOf(station) === rankOf(other) ? 0 : rankOf(other) - rankOf(station),
  )
}
