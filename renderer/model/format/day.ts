/** Both are epoch milliseconds, and the day is the one of the local time zone. */
export const isSameDay = (first: number, second: number): boolean =>
  new Date(first).toDateString() === new Date(second).toDateString()

export const isToday = (timestamp: number): boolean => isSameDay(timestamp, Date.now())
