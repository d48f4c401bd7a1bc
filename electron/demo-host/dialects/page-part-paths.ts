import { each, withMember, without, type Trait } from './trait.ts'

export const pagePartPaths: Trait = {
  name: 'page-part-paths',
  what: 'Parts of a page have a `contentPath` and a `topicid`, and nothing else.',
  on: ['documents.pageParts'],
  out: (value) =>
    withMember(
      value,
      'parts',
      each((part) => without(part, 'contentId', 'mimeType', 'kind')),
    ),
}
