/** As dates and axes name the months. The browser's own names differ by its language, and come with a table that a first page waits for. */
export const monthNames = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;
