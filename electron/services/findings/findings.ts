import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import {
  getFindingGroupId,
  MAX_EXCHANGES_PER_FINDING,
  mutedRuleSchema,
  type Finding,
  type FindingGroup,
  type FindingRuleId,
  type FindingScope,
  type MutedRule,
} from '../../../shared/protocol/finding.ts'
import { isObject } from '../../../shared/json/object.ts'
import type { Bus } from '../bus.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'
import type { Notices } from '../notices.ts'
import type { FindingsChange } from './findings-judge.ts'

export interface Findings {
  /** One row for each rule and resource within the scope, the newest first, without those of muted rules. */
  list(
    offset: number,
    limit: number,
    scope?: FindingScope,
  ): { findings: FindingGroup[]; total: number; muted: MutedRule[] }
  /** Those that an exchange is part of, without those of muted rules. */
  listForExchange(seq: number): Finding[]
  mute(rule: FindingRuleId, reason: string): MutedRule[]
  unmute(rule: FindingRuleId): MutedRule[]
  /** What the store's judge says. */
  applyChange(change: FindingsChange): void
  close(): void
}

/** Pages are told at most this often. */
const PUBLISH_INTERVAL_MS = 200
/** Findings that are kept at hand; the oldest go first. */
const MAX_FINDINGS = 5_000

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
    const id = getFindingGroupId(finding)
    const row = rows.get(id)
    const others = row?.origins.filter((one) => !isDeepStrictEqual(one, finding.origin)) ?? []
    rows.delete(id)
    rows.set(id, {
      ...finding,
      id,
      exchanges: [...new Set([...(row?.exchanges ?? []), ...finding.exchanges])].slice(-MAX_EXCHANGES_PER_FINDING),
      shownAt: [...(row?.shownAt ?? []), finding.exchanges.at(-1) ?? 0].slice(-MAX_EXCHANGES_PER_FINDING),
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
  const tellSoon = (): void => void (telling ??= setTimeout(tell, PUBLISH_INTERVAL_MS).unref())

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
    listForExchange: (seq) => heard().filter(({ exchanges }) => exchanges.includes(seq)),
    mute: (rule, reason) => keep([...muted.filter((one) => one.rule !== rule), { rule, reason, at: now() }]),
    unmute: (rule) => keep(muted.filter((one) => one.rule !== rule)),
    applyChange(change) {
      if (change.kind === 'all') all = new Map(change.findings.map((one) => [one.id, one]))
      else {
        for (const finding of change.newFindings) all.set(finding.id, finding)
        for (const id of change.withdrawnIds) all.delete(id)
      }
      for (const id of all.keys()) {
        if (all.size <= MAX_FINDINGS) break
        all.delete(id)
      }
      tellSoon()
    },
    close() {
      if (telling) clearTimeout(telling)
    },
  }
}
