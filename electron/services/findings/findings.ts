import path from 'node:path'
import { z } from 'zod'
import { mutedRuleSchema, type Finding, type FindingRule, type MutedRule } from '../../../shared/protocol/finding.ts'
import { isObject } from '../../../shared/json/object.ts'
import type { Bus } from '../bus.ts'
import { readJsonFile, writeAtomic } from '../files/atomic.ts'
import type { Notices } from '../notices.ts'
import type { FindingsChange } from './judge.ts'

export interface Findings {
  /** Newest first, without those of muted rules. */
  list(offset: number, limit: number): { findings: Finding[]; total: number; muted: MutedRule[] }
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
    const byOrigin: Record<string, number> = {}
    const list = heard()
    for (const { origin } of list) byOrigin[origin.kind] = (byOrigin[origin.kind] ?? 0) + 1
    bus.publish('findings.changed', { total: list.length, byOrigin })
  }
  const tellSoon = (): void => void (telling ??= setTimeout(tell, TELL_MS).unref())

  function keep(next: MutedRule[]): MutedRule[] {
    writeAtomic(file, `${JSON.stringify({ muted: next }, null, 2)}\n`)
    muted = next
    tellSoon()
    return muted
  }

  return {
    list(offset, limit) {
      const list = heard().reverse()
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
