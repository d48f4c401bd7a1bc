import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  groupOf,
  MAX_EXCHANGES,
  mutedRuleSchema,
  type Finding,
  type FindingGroup,
  type FindingRule,
  type FindingScope,
  type MutedRule,
} from '../../../shared/protocol/finding.ts'
import { isObject } from '../../../shared/json/object.ts'
import type { Bus } from '../bus.ts'
import { readJsonFile, writeAtomic } from '../files/atomic.ts'
import type { Notices } from '../notices.ts'
import type { FindingsChange } from './judge.ts'

export interface Findings {
  /** One row for each rule and resource within the scope, the newest first, without those of muted rules. */
  list(
    offset: number,
    limit: number,
    scope?: FindingScope,
  ): { findings: FindingGroup[]; total: number; muted: MutedRule[] }
  /** Those that an exchange is part of, without those of muted rules. */
  of(seq: number): Finding[]
  mute(rule: FindingRule, reason: string): MutedRule[]
  unmute(rule: FindingRule): MutedRule[]
  /** What the store's judge says. */
  changed(change: FindingsChange): void
  close(): void
}

/** Pages are told at most this often. */
const TELL_MS = 200
/** Findings that are kept at hand; the oldest go first. */
const MOST = 5_000

/** Origins that a row names. */
const MAX_ORIGINS = 20

const isWithin = ({ origin }: Finding, { kind, caller, load }: FindingScope): boolean =>
  (kind === undefined || kind === origin.kind) &&
  (caller === undefined || caller === origin.caller) &&
  (load === undefined || load === origin.load)

/** One row for each rule and resource, the one with the newest finding first; `findings` are in the order in which they became certain. */
function grouped(findings: readonly Finding[]): FindingGroup[] {
  const rows = new Map<string, FindingGroup>()
  for (const finding of findings) {
    const id = groupOf(finding)
    const row = rows.get(id)
    const others = row?.origins.filter((one) => !isDeepStrictEqual(one, finding.origin)) ?? []
    rows.delete(id)
    rows.set(id, {
      ...finding,
      id,
      exchanges: [...new Set([...(row?.exchanges ?? []), ...finding.exchanges])].slice(-MAX_EXCHANGES),
      shownAt: [...(row?.shownAt ?? []), finding.exchanges.at(-1) ?? 0].slice(-MAX_EXCHANGES),
      count: (row?.count ?? 0) + 1,
      firstAt: row?.firstAt ?? finding.at,
      origins: [finding.origin, ...others].slice(0, MAX_ORIGINS),
    })
  }
  return [...rows.values()].reverse()
}

const fileSchema = z.object({ muted: z.array(mutedRuleSchema.nullable().catch(null)).catch([]) })

/** What callers did wrong, and which rules are muted: those are in `findings.json` in the data directory. */
export function createFindings(dataDir: string, bus: Bus, notices: Notices, now: () => number = Date.now): Findings {
  const file = path.join(dataDir, 'findings.json')
  const { value, outcome } = readJsonFile(file, isObject)
  let muted = fileSchema.parse(isObject(value) ? value : {}).muted.filter((one) => one !== null)
  if (outcome === 'backup' || outcome === 'lost') {
    const message = `The list of muted rules could not be read and was set aside; ${outcome === 'backup' ? 'the last backup is used' : 'no rule is muted'}.`
    notices.add({ level: 'warning', code: 'MUTED_RULES_DAMAGED', message })
  }
  /** Oldest first. */
  let all = new Map<string, Finding>()
  let telling: NodeJS.Timeout | null = null

  const isHeard = ({ rule }: Finding): boolean => !muted.some((one) => one.rule === rule)
  const heard = (): Finding[] => [...all.values()].filter(isHeard)

  function tell(): void {
    telling = null
    bus.publish('findings.changed', { total: grouped(heard()).length })
  }
  const tellSoon = (): void => void (telling ??= setTimeout(tell, TELL_MS).unref())

  function keep(next: MutedRule[]): MutedRule[] {
    writeAtomic(file, `${JSON.stringify({ muted: next }, null, 2)}\n`)
    muted = next
    tellSoon()
    return muted
  }

  return {
    list(offset, limit, scope = {}) {
      const list = grouped(heard().filter((finding) => isWithin(finding, scope)))
      return { findings: list.slice(offset, offset + limit), total: list.length, muted }
    },
    of: (seq) => heard().filter(({ exchanges }) => exchanges.includes(seq)),
    mute: (rule, reason) => keep([...muted.filter((one) => one.rule !== rule), { rule, reason, at: now() }]),
    unmute: (rule) => keep(muted.filter((one) => one.rule !== rule)),
    changed(change) {
      if (change.kind === 'all') all = new Map(change.findings.map((one) => [one.id, one]))
      else {
        for (const finding of change.found) all.set(finding.id, finding)
        for (const id of change.withdrawn) all.delete(id)
      }
      for (const id of all.keys()) {
        if (all.size <= MOST) break
        all.delete(id)
      }
      tellSoon()
    },
    close() {
      if (telling) clearTimeout(telling)
    },
  }
}
