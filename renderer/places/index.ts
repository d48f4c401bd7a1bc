import { navGroups, type PlaceDefinition } from '../stores/place-definition.ts'

const modules = import.meta.glob<PlaceDefinition>('./*/place.ts', { eager: true, import: 'place' })

const getRank = ({ nav }: PlaceDefinition): number =>
  nav ? navGroups.indexOf(nav.group) * 100 + nav.order : Number.MAX_SAFE_INTEGER

/** Sorted in navigation order. A folder with a `place.ts` registers itself. */
export const places: readonly PlaceDefinition[] = Object.values(modules).sort((a, b) => getRank(a) - getRank(b))
