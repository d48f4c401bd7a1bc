import { createHash } from 'node:crypto'
import path from 'node:path'
import { refused } from '../../../../shared/errors.ts'
import { matcher, OVERRIDES_FILE, type OverrideRule, type OverridesState } from '../../../../shared/panel/overrides.ts'
import type { PanelSource } from '../../../../shared/panel/panel.ts'
import type { HoldsToken } from '../../console/collections.ts'
import type { TrafficStore } from '../../traffic/store.ts'
import type { AppliedOverrides } from '../call/types.ts'
import { ruleAnswer } from './answer.ts'
import { openOverridesFile, type OverridesFile } from './file.ts'
import { ruleFrom } from './rule-from.ts'

interface Surroundings {
  readonly dataDir: string
  readonly holdsToken: HoldsToken
  readonly store: Pick<TrafficStore, 'exchange' | 'body'>
  /** The rules changed, here or in the file, or are those of another panel. */
  readonly onChange: (state: OverridesState) => void
}

/** The overrides of the open panel. Errors are those of `shared/ipc/panel.ts`. */
export interface Overrides extends AppliedOverrides {
  /** Takes up the rules of another panel; null for none. */
  open(source: PanelSource | null): void
  state(): OverridesState
  counts(): { on: number; all: number }
  /** Throws `NO_PANEL`, and the errors of `OverridesFile.save`. */
  save(rules: readonly OverrideRule[]): OverridesState
  ruleFrom(seq: number): Promise<OverrideRule>
  close(): void
}

const nothing: OverridesState = { rules: [], file: '', problems: [] }

/** Reads, keeps and applies rules: those of a folder in `bridge-overrides.json` in it, those of other panels in the data directory. */
export function createOverrides({ dataDir, holdsToken, store, onChange }: Surroundings): Overrides {
  let file: OverridesFile | null = null
  let ready: readonly { readonly rule: OverrideRule; readonly fits: ReturnType<typeof matcher> }[] = []

  const state = (): OverridesState => file?.state() ?? nothing

  function took(next: OverridesState): OverridesState {
    ready = next.rules.filter(({ on }) => on).map((rule) => ({ rule, fits: matcher(rule.match) }))
    onChange(next)
    return next
  }

  return {
    open(source) {
      file?.close()
      const own = source && { file: overridesFile(dataDir, source), shared: source.kind === 'folder' }
      file = own && openOverridesFile({ ...own, holdsToken, onChange: took })
      took(state())
    },
    state,
    counts: () => ({ on: ready.length, all: state().rules.length }),
    save(rules) {
      if (!file) throw refused('NO_PANEL', 'Open a panel first: its overrides are kept beside it.')
      return took(file.save(rules))
    },
    ruleFrom: (seq) => ruleFrom(store, seq),
    ruleFor: (method, at) => ready.find(({ fits }) => fits(method, at))?.rule ?? null,
    answer: ruleAnswer,
    close() {
      file?.close()
      file = null
    },
  }
}

/** Where the rules of a panel are kept. */
export function overridesFile(dataDir: string, source: PanelSource): string {
  if (source.kind === 'folder') return path.join(source.path, OVERRIDES_FILE)
  const name = source.kind === 'sample' ? source.name : serverName(source.url)
  return path.join(dataDir, 'panel-overrides', `${name}.json`)
}

/** A file name on every system that tells which server it is about. */
function serverName(url: string): string {
  const { host, href } = new URL(url)
  return `${host.replace(/[^\w.-]/g, '-')}-${createHash('sha256').update(href).digest('hex').slice(0, 8)}`
}
