import { refused } from '../../shared/errors.ts'
import type { PanelService } from '../services/panel/service.ts'
import type { Handlers } from './types.ts'

type Own = Extract<keyof Handlers, `panel.${string}`>

const noRules = { rules: [], file: '', problems: [] }
const noOverrides = () => refused('NOT_HERE', 'There are no overrides yet.')

/** The panel lab: each method to one call of the service. */
export function panelHandlers(panel: PanelService): Pick<Handlers, Own> {
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
    'panel.overrides': () => noRules,
    'panel.saveOverrides': () => {
      throw noOverrides()
    },
    'panel.ruleFrom': () => {
      throw noOverrides()
    },
    'panel.devTools': () => {
      panel.devTools()
      return {}
    },
  }
}
