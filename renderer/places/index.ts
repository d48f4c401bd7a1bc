import type { PlaceDefinition } from '../stores/place-definition.ts'

const modules = import.meta.glob<PlaceDefinition>('./*/place.ts', { eager: true, import: 'place' })

/** Every place, in navigation order. A folder with a `place.ts` registers itself. */
export const places: readonly PlaceDefinition[] = Object.values(modules).sort(
  (a, b) => (a.nav?.order ?? Number.MAX_SAFE_INTEGER) - (b.nav?.order ?? Number.MAX_SAFE_INTEGER),
)
