import { createRefusedError } from '../../shared/errors.ts'
import { findInitiatorFrame } from '../../shared/traffic/call-initiator.ts'
import type { PanelCallSummary, PanelCall } from '../../shared/panel/panel.ts'
import type { ComposedPanel } from '../services/panel/composed-panel.ts'
import type { Overrides } from '../services/panel/overrides/overrides.ts'
import type { ChooseFolder, Handlers } from './app-ports.ts'

type Own = Extract<keyof Handlers, `panel.${string}` | `callers.${string}`>

export type PanelLab = ComposedPanel['panel']

const toSummaries = (call: PanelCall | null): PanelCallSummary[] => {
  if (!call) return []
  const { frames, durationMs } = call
  const { exchangeId, at, via, pageId, loader, decision, onlyOutside } = call
  const duration = durationMs === undefined ? {} : { durationMs }
  return [
    { exchangeId, at, ...duration, via, pageId, frame: findInitiatorFrame(frames), loader, decision, onlyOutside },
  ]
}

export function createPanelHandlers(
  panel: PanelLab,
  overrides: Overrides,
  chooseFolder: ChooseFolder | null,
): Pick<Handlers, Own> {
  return {
    'panel.get': () => panel.state(),
    'panel.open': ({ source }) => panel.open(source),
    'panel.stop': () => panel.stop(),
    'panel.reload': () => panel.reload(),
    'panel.configure': (change) => panel.configure(change),
    'panel.decide': ({ id, send, unasked }) => {
      panel.decide(id, send ? 'send' : unasked ? 'refuse-unasked' : 'refuse')
      return {}
    },
    'panel.recent': () => ({ sources: panel.recent() }),
    'panel.forget': ({ source }) => {
      panel.forget(source)
      return {}
    },
    'panel.notes': ({ after }) => panel.listNotes(after),
    'panel.clearNotes': () => {
      panel.clearNotes()
      return {}
    },
    'panel.callAs': (call, { signal }) => panel.callAsPanel(call, signal),
    'panel.resolvedValue': (reference) => panel.getResolvedValue(reference),
    'panel.call': ({ exchangeId }) => ({ call: panel.getCall(exchangeId) }),
    'panel.calls': ({ exchangeIds }) => ({ calls: exchangeIds.flatMap((id) => toSummaries(panel.getCall(id))) }),
    'panel.source': (input) => panel.readSource(input),
    'panel.chooseFolder': async () => {
      if (!chooseFolder) throw createRefusedError('NOT_HERE', 'Only the desktop app has its own dialog for folders.')
      return { path: await chooseFolder() }
    },
    'callers.who': ({ method, path }) => panel.findCallers(method, path),
    'panel.memory': () => ({ bytes: panel.getMemory() }),
    'panel.overrides': () => overrides.state(),
    'panel.saveOverrides': ({ rules }) => overrides.save(rules),
    'panel.ruleFrom': ({ seq }) => overrides.createRuleFrom(seq),
    'panel.devTools': () => {
      panel.openDevTools()
      return {}
    },
  }
}
