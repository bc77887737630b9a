/** The fewest days that receipts are kept, whatever an operator sets: in this time a missing receipt means that nothing was booked. */
export const retentionDaysMin = 62;
/** A hundred years; whoever wants more keeps them for ever. */
export const retentionDaysMax = 36_500;
