import type { InjectionKey } from 'vue'

/**
 * The page provides the route of what an id names; null if it leads nowhere or the text is not an
 * id.
 */
export const idPathResolverKey: InjectionKey<(id: string) => string | null> = Symbol('openId')

/**
 * The page provides the route of an exchange by the id that an error carries; null if there is
 * none.
 */
export const exchangePathResolverKey: InjectionKey<(exchangeId: string) => string | null> = Symbol('openExchange')
