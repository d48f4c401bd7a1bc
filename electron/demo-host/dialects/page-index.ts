import { each, renamed, withMember, type Trait } from './trait.ts'

export const pageIndex: Trait = {
  name: 'page-index',
  what: 'Texts of pages have `index` instead of `page`.',
  on: ['documents.pages'],
  out: (value) =>
    withMember(
      value,
      'pages',
      each((one) => renamed(one, { page: 'index' })),
    ),
}
