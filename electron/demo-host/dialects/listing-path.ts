import { each, withMember, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

const query = ['root', 'limit', 'cursor', 'sort', 'withNotes']

/** The list with the listing at its other path, and more members of it. */
const moved = (more: object): ((list: unknown) => unknown) =>
  each((route) =>
    isObject(route) && route['path'] === '/study-sets/{id}/tree'
      ? { ...route, path: '/study-sets/{id}/cards', ...more }
      : route,
  )

export const listingPath: Trait = {
  name: 'listing-path',
  what: 'The card listing is served as `/study-sets/{id}/cards`, and the capabilities name its query.',
  on: ['capabilities.get'],
  out: (value) => withMember(withMember(value, 'routes', moved({ query })), 'panelRoutes', moved({})),
  paths: { 'studySets.tree': '/study-sets/{topicid}/cards' },
}
