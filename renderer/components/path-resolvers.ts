import type { InjectionKey } from 'vue'

/** Finds the route for an id; null if no page shows the object, or if it is no id. */
export const idPathResolverKey: InjectionKey<(id: string) => string | null> = Symbol('openId')

/** Finds the route of the exchange named in an error; null if there is none. */
export const exchangePathResolverKey: InjectionKey<(exchangeId: string) => string | null> = Symbol('openExchange')
