/** The fewest days that receipts are kept, whatever an operator sets: in this time a missing receipt means that nothing was booked. */
export const retentionDaysMin = 62;
