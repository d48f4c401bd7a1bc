import { isObject } from '../../../shared/json/object.ts'
import { each, without, type Trait } from './trait.ts'

export const mainDocument: Trait = {
  name: 'main-document',
  what: '`mainDocument` of the list of documents is an object with its id; the documents themselves say nothing of it.',
  on: ['studySets.documents'],
  out(value) {
    if (!isObject(value) || !Array.isArray(value['documents'])) return value
    const { mainDocument: id, documents } = value
    const own = each((one) => without(one, 'main'))(documents)
    return { ...value, documents: own, mainDocument: typeof id === 'string' ? { bookmd5: id } : id }
  },
}
