import { without, type Trait } from './trait.ts'

export const noPanelList: Trait = {
  name: 'no-panel-list',
  what: 'The capabilities do not tell which routes a plugin’s panel may call.',
  on: ['capabilities.get'],
  out: (value) => without(value, 'panelRoutes'),
}
