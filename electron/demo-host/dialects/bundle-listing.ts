import { isObject } from '../../../shared/json/object.ts'
import { type Trait } from './trait.ts'

export const bundleListing: Trait = {
  name: 'bundle-listing',
  what: 'The files of a bundle are a bare list of paths.',
  on: ['bundles.files'],
  out: (value) =>
    isObject(value) && Array.isArray(value['files'])
      ? value['files'].map((file: unknown) => (isObject(file) ? file['path'] : file))
      : value,
}
