import type { Overrides } from '../services/panel/overrides/overrides.ts'
import type { PanelService } from '../services/panel/service.ts'
import type { Handlers } from './types.ts'

type Own = Extract<keyof Handlers, `panel.${string}`>

/** The panel lab: each method to one call of the service. */
export function panelHandlers(panel: PanelService, overrides: Overrides): Pick<Handlers, Own> {
  return {
    'panel.get': () => panel.state(),
    'panel.open': ({ source }) => panel.open(source),
    'panel.stop': () => panel.stop(),
    'panel.reload': () => panel.reload(),
    'panel.configure': (change) => panel.configure(change),
    'panel.decide': ({ id, send }) => {
      panel.decide(id, send)
      return {}
    },
    'panel.recent': () => ({ sources: panel.recent() }),
    'panel.forget': ({ source }) => {
      panel.forget(source)
      return {}
    },
    'panel.notes': ({ after }) => panel.notes(after),
    'panel.clearNotes': () => {
      panel.clearNotes()
      return {}
    },
    'panel.call': ({ exchangeId }) => ({ call: panel.call(exchangeId) }),
    'panel.place': (place) => {
      panel.place(place)
      return {}
    },
    'panel.overrides': () => overrides.state(),
    'panel.saveOverrides': ({ rules }) => overrides.save(rules),
    'panel.ruleFrom': ({ seq }) => overrides.ruleFrom(seq),
    'panel.devTools': () => {
      panel.devTools()
      return {}
    },
  }
}
