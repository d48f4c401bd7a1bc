import { createHash } from 'node:crypto'
import path from 'node:path'
import { createRefusedError } from '../../../../shared/errors.ts'
import {
  createCallMatcher,
  OVERRIDES_FILE,
  type OverrideRule,
  type OverridesState,
} from '../../../../shared/panel/overrides.ts'
import type { PanelSource } from '../../../../shared/panel/panel.ts'
import type { TokenPredicate } from '../../console/collections.ts'
import type { TrafficStore } from '../../traffic/traffic-store.ts'
import type { AppliedOverrides } from '../call/types.ts'
import { createRuleResponse } from './rule-response.ts'
import { openOverridesFile, type OverridesFile } from './overrides-file.ts'
import { createRuleFromExchange } from './recorded-rule.ts'

interface OverridesOptions {
  readonly dataDir: string
  readonly holdsToken: TokenPredicate
  readonly store: Pick<TrafficStore, 'exchange' | 'body'>
  /** The rules changed, here or in the file, or are those of another panel. */
  readonly onChange: (state: OverridesState) => void
}

/** The overrides of the open panel. Errors are those of `shared/ipc/panel.ts`. */
export interface Overrides extends AppliedOverrides {
  /** Takes up the rules of another panel; null for none. */
  open(source: PanelSource | null): void
  state(): OverridesState
  countRules(): { on: number; all: number }
  /** Throws `NO_PANEL`, and the errors of `OverridesFile.save`. */
  save(rules: readonly OverrideRule[]): OverridesState
  createRuleFrom(seq: number): Promise<OverrideRule>
  close(): void
}

const nothing: OverridesState = { rules: [], file: '', problems: [] }

/**
 * Reads, keeps and applies rules: those of a folder in `bridge-overrides.json` in it, those of
 * other panels in the data directory.
 */
export function createOverrides({ dataDir, holdsToken, store, onChange }: OverridesOptions): Overrides {
  let file: OverridesFile | null = null
  let ready: readonly { readonly rule: OverrideRule; readonly fits: ReturnType<typeof createCallMatcher> }[] = []

  const state = (): OverridesState => file?.state() ?? nothing

  function took(next: OverridesState): OverridesState {
    ready = next.rules.filter(({ on }) => on).map((rule) => ({ rule, fits: createCallMatcher(rule.match) }))
    onChange(next)
    return next
  }

  return {
    open(source) {
      file?.close()
      const own = source && { file: getOverridesPath(dataDir, source), isShared: source.kind === 'folder' }
      file = own && openOverridesFile({ ...own, holdsToken, onChange: took })
      took(state())
    },
    state,
    countRules: () => ({ on: ready.length, all: state().rules.length }),
    save(rules) {
      if (!file) throw createRefusedError('NO_PANEL', 'Open a panel first: its overrides are kept beside it.')
      return took(file.save(rules))
    },
    createRuleFrom: (seq) => createRuleFromExchange(store, seq),
    findRule: (method, at) => ready.find(({ fits }) => fits(method, at))?.rule ?? null,
    respond: createRuleResponse,
    close() {
      file?.close()
      file = null
    },
  }
}

/** Where the rules of a panel are kept. */
export function getOverridesPath(dataDir: string, source: PanelSource): string {
  if (source.kind === 'folder') return path.join(source.path, OVERRIDES_FILE)
  const name = source.kind === 'sample' ? source.name : serverName(source.url)
  return path.join(dataDir, 'panel-overrides', `${name}.json`)
}

/** A file name on every system that tells which server it is about. */
function serverName(url: string): string {
  const { host, href } = new URL(url)
  return `${host.replace(/[^\w.-]/g, '-')}-${createHash('sha256').update(href).digest('hex').slice(0, 8)}`
}
