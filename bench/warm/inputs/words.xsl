<xsl:stylesheet version="2.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
  <xsl:output method="text"/>
  <xsl:template match="/">
    <xsl:for-each-group select="//book" group-by="@shelf">
      <xsl:sort select="current-grouping-key()"/>
      <xsl:value-of select="current-grouping-key(), count(current-group()), sum(current-group()/price)"/>
      <xsl:apply-templates select="current-group()[position() mod 40 = 1]"/>
      <xsl:text>&#10;</xsl:text>
    </xsl:for-each-group>
  </xsl:template>
  <xsl:template match="book[contains(title, '9')]"><xsl:value-of select="upper-case(title), tokenize(title, ' ')[2]"/></xsl:template>
  <xsl:template match="book"><xsl:value-of select="concat(' ', replace(title, '[aeiou]', '_'))"/></xsl:template>
</xsl:stylesheet>
