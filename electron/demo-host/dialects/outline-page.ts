import { each, renamed, withMember, without, type Trait } from './trait.ts'

export const outlinePage: Trait = {
  name: 'outline-page',
  what: 'Segments of an outline have `page` and `depth` instead of `startPage` and `level`, and no end.',
  on: ['documents.outline'],
  out: (value) =>
    withMember(
      value,
      'segments',
      each((one) => renamed(without(one, 'endPage'), { startPage: 'page', level: 'depth' })),
    ),
}
