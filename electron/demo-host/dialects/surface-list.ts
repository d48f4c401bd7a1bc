import { without, type Trait } from './trait.ts'
import { isObject } from '../../../shared/json/object.ts'

export const surfaceList: Trait = {
  name: 'surface-list',
  what: '`GET /writing/context` lists its surfaces, each with its window; the window itself names none.',
  on: ['writing.context'],
  out(value) {
    if (!isObject(value) || !isObject(value['window'])) return value
    const { surfaceId, windowId, noteid } = value['window']
    const window = without(value['window'], 'surfaceId')
    return { ...value, window, surfaces: [{ surfaceId, windowId, noteid, active: true }] }
  },
}
