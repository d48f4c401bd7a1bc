import { each, withMember, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

const query = ['root', 'limit', 'cursor', 'sort', 'withNotes']

export const listingPath: Trait = {
  name: 'listing-path',
  what: 'The card listing is served as `/study-sets/{id}/cards`, and the capabilities name its query.',
  on: ['capabilities.get'],
  out: (value) =>
    withMember(
      value,
      'routes',
      each((route) =>
        isObject(route) && route['path'] === '/study-sets/{id}/tree'
          ? { ...route, path: '/study-sets/{id}/cards', query }
          : route,
      ),
    ),
  paths: { 'studySets.tree': '/study-sets/{topicid}/cards' },
}
