// Responds to a panel's calls as the user's override rules define. Whether a call may be overridden
// is decided in panel/policy. Read this file first, then rule-response.ts and overrides-file.ts.
import { createHash } from 'node:crypto'
import path from 'node:path'
import { createRefusedError } from '../../../../shared/errors.ts'
import { createCountingMatcher, withBodyParsedOnce } from '../../../../shared/panel/call-match.ts'
import { OVERRIDES_FILE, type OverrideRule, type OverridesState } from '../../../../shared/panel/overrides.ts'
import type { PanelSource } from '../../../../shared/panel/panel.ts'
import type { TokenPredicate } from '../../console/collections.ts'
import type { TrafficStore } from '../../traffic/traffic-store.ts'
import type { AppliedOverrides, ProgramRule } from '../call/types.ts'
import { createRuleResponse } from './rule-response.ts'
import { openOverridesFile, type OverridesFile } from './overrides-file.ts'
import { createRuleFromExchange } from './recorded-rule.ts'

interface OverridesOptions {
  readonly dataDir: string
  readonly holdsToken: TokenPredicate
  readonly store: Pick<TrafficStore, 'exchange' | 'body'>
  /** Rules for every panel that are tried before those of its file. They are not in the state. */
  readonly firstRules?: Iterable<ProgramRule>
  /** The rules changed in the app or in the file, or a different panel was opened. */
  readonly onChange: (state: OverridesState) => void
}

/** The errors are those of `shared/ipc/panel.ts`. */
export interface Overrides extends AppliedOverrides {
  /** Loads the rules of a panel; null for no panel. */
  open(source: PanelSource | null): void
  state(): OverridesState
  countRules(): { on: number; all: number }
  /** @throws NO_PANEL, and the errors of `OverridesFile.save`. */
  save(rules: readonly OverrideRule[]): OverridesState
  createRuleFrom(seq: number): Promise<OverrideRule>
  close(): void
}

const NO_OVERRIDES: OverridesState = { rules: [], file: '', problems: [] }

/** Rules of a folder are in its `bridge-overrides.json`, others in the data directory. */
export function createOverrides({
  dataDir,
  holdsToken,
  store,
  firstRules = [],
  onChange,
}: OverridesOptions): Overrides {
  let file: OverridesFile | null = null
  let activeRules: readonly ProgramRule[] = []

  const state = (): OverridesState => file?.state() ?? NO_OVERRIDES

  function applyState(newState: OverridesState): OverridesState {
    activeRules = newState.rules.filter(({ on }) => on).map(toProgramRule)
    onChange(newState)
    return newState
  }

  return {
    open(source) {
      file?.close()
      const fileOptions = source && { file: getOverridesPath(dataDir, source), isShared: source.kind === 'folder' }
      file = fileOptions && openOverridesFile({ ...fileOptions, holdsToken, onChange: applyState })
      applyState(state())
    },
    state,
    countRules: () => ({ on: [...firstRules].length + activeRules.length, all: state().rules.length }),
    save(rules) {
      if (!file) throw createRefusedError('NO_PANEL', 'Open a panel first: its overrides are kept beside it.')
      return applyState(file.save(rules))
    },
    createRuleFrom: (seq) => createRuleFromExchange(store, seq),
    async findRule(call, load) {
      const overridableCall = { ...call, ...withBodyParsedOnce(call) }
      // Every rule counts the call, also one whose predecessor responds to it.
      const fittingRules = [...firstRules, ...activeRules].filter(({ fits }) => fits(overridableCall, load))
      for (const { choose } of fittingRules) {
        const rule = await choose(overridableCall)
        if (rule !== null) return rule
      }
      return null
    },
    respond: createRuleResponse,
    close() {
      file?.close()
      file = null
    },
  }
}

const toProgramRule = (rule: OverrideRule): ProgramRule => ({
  rule,
  fits: createCountingMatcher(rule.match),
  choose: () => Promise.resolve(rule),
})

export function getOverridesPath(dataDir: string, source: PanelSource): string {
  if (source.kind === 'folder') return path.join(source.path, OVERRIDES_FILE)
  const name = source.kind === 'sample' ? source.name : serverName(source.url)
  return path.join(dataDir, 'panel-overrides', `${name}.json`)
}

/** Converts the URL of a development server to a unique file name that is valid on every system. */
function serverName(url: string): string {
  const { host, href } = new URL(url)
  return `${host.replace(/[^\w.-]/g, '-')}-${createHash('sha256').update(href).digest('hex').slice(0, 8)}`
}
