// Finds mistakes of the host's callers, and stores which rules are muted.
// The rules themselves are in electron/core/protocol, and recording is in services/traffic.
// Read this file first, then findings-judge.ts.
import path from 'node:path'
import { z } from 'zod'
import {
  isOriginWithin,
  mutedRuleSchema,
  type Finding,
  type FindingClass,
  type FindingGroup,
  type FindingRuleId,
  type FindingScope,
  type MutedRule,
} from '../../../shared/protocol/finding.ts'
import { getFindingClass, groupByClass } from '../../../shared/protocol/rule-table.ts'
import { isObject } from '../../../shared/json/object.ts'
import { readRegularFile } from '../../system/regular-file.ts'
import type { Bus } from '../bus.ts'
import { readJsonFile, writeAtomic } from '../files/atomic-file.ts'
import type { Notices } from '../notices.ts'
import { applyFindingsChange, type FindingsChange } from './findings-judge.ts'

export interface Findings {
  /** Lists a group for each rule and resource of a class, newest first, without muted rules. */
  list(
    offset: number,
    limit: number,
    scope?: FindingScope,
    listedClass?: FindingClass,
  ): { findings: FindingGroup[]; total: number; totals: Record<FindingClass, number>; muted: MutedRule[] }
  /** Lists each finding by itself, the oldest first, without those of muted rules. */
  listAll(): Finding[]
  /** Returns the `seq` of the exchanges that show findings, without advice and withdrawn ones. */
  listShownSeqs(): number[]
  /** Returns what `listAll` does, as far as it refers to an exchange. */
  listForExchange(seq: number): Finding[]
  mute(rule: FindingRuleId, reason: string): MutedRule[]
  unmute(rule: FindingRuleId): MutedRule[]
  /** Applies a change that the traffic store reports. */
  applyChange(change: FindingsChange): void
  close(): void
}

/** The shortest interval between two messages to the pages. */
const PUBLISH_INTERVAL_MS = 200
/** If there are more findings, the oldest are removed. */
const MAX_FINDINGS = 5_000

const MUTED_RULES_FILE = 'findings.json'
const fileSchema = z.object({ muted: z.array(mutedRuleSchema.nullable().catch(null)).catch([]) })

const parseMutedRules = (value: unknown): MutedRule[] =>
  fileSchema.parse(isObject(value) ? value : {}).muted.filter((rule) => rule !== null)

/** Reads the muted rules of a data directory that another program may be using. */
export function readMutedRules(dataDir: string): MutedRule[] {
  try {
    return parseMutedRules(JSON.parse(readRegularFile(path.join(dataDir, MUTED_RULES_FILE)).text))
  } catch {
    // The file is absent or unreadable, so no rule is muted.
    return []
  }
}

/** Muted rules are stored in `findings.json` in the data directory. */
export function createFindings(dataDir: string, bus: Bus, notices: Notices, now: () => number = Date.now): Findings {
  const file = path.join(dataDir, MUTED_RULES_FILE)
  const { value, outcome } = readJsonFile(file, isObject)
  let muted = parseMutedRules(value)
  if (outcome === 'backup' || outcome === 'lost') {
    const message = `The list of muted rules could not be read and was set aside; ${outcome === 'backup' ? 'the last backup is used' : 'no rule is muted'}.`
    notices.add({ level: 'warning', code: 'MUTED_RULES_DAMAGED', message })
  }
  /** The oldest finding is first. */
  let findingsById = new Map<string, Finding>()
  let publishTimer: NodeJS.Timeout | null = null

  const isNotMuted = ({ rule }: Finding): boolean => !muted.some((mutedRule) => mutedRule.rule === rule)
  const listUnmuted = (): Finding[] => [...findingsById.values()].filter(isNotMuted)

  function publish(): void {
    publishTimer = null
    bus.publish('findings.changed', { total: groupByClass(listUnmuted()).findings.length })
  }
  const schedulePublish = (): void => void (publishTimer ??= setTimeout(publish, PUBLISH_INTERVAL_MS).unref())

  function saveMuted(nextMuted: MutedRule[]): MutedRule[] {
    writeAtomic(file, `${JSON.stringify({ muted: nextMuted }, null, 2)}\n`)
    muted = nextMuted
    schedulePublish()
    return muted
  }

  return {
    list(offset, limit, scope = {}, listedClass = 'findings') {
      const groups = groupByClass(listUnmuted().filter(({ origin }) => isOriginWithin(origin, scope)))
      const { findings, advice, withdrawn } = groups
      const totals = { findings: findings.length, advice: advice.length, withdrawn: withdrawn.length }
      const list = groups[listedClass]
      return { findings: list.slice(offset, offset + limit), total: list.length, totals, muted }
    },
    listAll: listUnmuted,
    listShownSeqs: () => {
      const certain = listUnmuted().filter((finding) => getFindingClass(finding) === 'findings')
      return [...new Set(certain.flatMap(({ exchanges }) => exchanges.at(-1) ?? []))]
    },
    listForExchange: (seq) => listUnmuted().filter(({ exchanges }) => exchanges.includes(seq)),
    mute: (rule, reason) =>
      saveMuted([...muted.filter((mutedRule) => mutedRule.rule !== rule), { rule, reason, at: now() }]),
    unmute: (rule) => saveMuted(muted.filter((mutedRule) => mutedRule.rule !== rule)),
    applyChange(change) {
      if (change.kind === 'all') findingsById = new Map(change.findings.map((finding) => [finding.id, finding]))
      else applyFindingsChange(findingsById, change)
      for (const id of findingsById.keys()) {
        if (findingsById.size <= MAX_FINDINGS) break
        findingsById.delete(id)
      }
      schedulePublish()
    },
    close() {
      if (publishTimer) clearTimeout(publishTimer)
    },
  }
}
