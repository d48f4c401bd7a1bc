import type { InjectionKey } from 'vue'

/**
 * The page provides a function that finds the route for an id; null if no page shows the object, or
 * if the text is not an id.
 */
export const idPathResolverKey: InjectionKey<(id: string) => string | null> = Symbol('openId')

/**
 * The page provides a function that finds the route of the exchange named in an error; null if
 * there is none.
 */
export const exchangePathResolverKey: InjectionKey<(exchangeId: string) => string | null> = Symbol('openExchange')
